package fault_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpera/mcpera/conformance/fault"
)

const request = `{"jsonrpc":"2.0","id":7,"method":"tools/list"}`

// serve starts a server that closes with the test.
func serve(t *testing.T, s fault.Script) *fault.HTTP {
	t.Helper()
	srv := fault.NewHTTP(s)
	t.Cleanup(srv.Close)
	return srv
}

// freshClient has connections of its own, closed with the test.
func freshClient(t *testing.T) *http.Client {
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// answer is what a client sees of a response.
type answer struct {
	Status int
	Type   string
	Body   string
	Broken bool // the body ended early
}

func post(t *testing.T, c *http.Client, url, body string) answer {
	t.Helper()
	resp, err := c.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	said, err := io.ReadAll(resp.Body)
	return answer{resp.StatusCode, resp.Header.Get("Content-Type"), string(said), err != nil}
}

func TestHTTPAnswers(t *testing.T) {
	for name, tc := range map[string]struct {
		answer fault.Answer
		want   answer
	}{
		"a result carries the request's id": {
			fault.Answer{fault.Result(`{}`)},
			answer{200, "application/json", `{"jsonrpc":"2.0","id":7,"result":{}}`, false},
		},
		"an error carries code and data": {
			fault.Answer{fault.Status(400), fault.Error(-32022, "no", `{"supported":[]}`)},
			answer{400, "application/json", `{"jsonrpc":"2.0","id":7,"error":{"code":-32022,"message":"no","data":{"supported":[]}}}`, false},
		},
		"a raw body is text unless a type is set": {
			fault.Answer{fault.Status(503), fault.Raw("down")},
			answer{503, "text/plain", "down", false},
		},
		"a content type can be set": {
			fault.Answer{fault.Header("Content-Type", "text/html"), fault.Raw("<html>")},
			answer{200, "text/html", "<html>", false},
		},
		"a content type can be left out": {
			fault.Answer{fault.Header("Content-Type", ""), fault.Message("{}")},
			answer{200, "", "{}", false},
		},
		"messages of a stream are events": {
			fault.Answer{fault.Stream(), fault.Message("{}"), fault.Raw(": x\n\n"), fault.Message("[\n]")},
			answer{200, "text/event-stream", "data: {}\n\n: x\n\ndata: [\ndata: ]\n\n", false},
		},
		"a status alone has no body": {
			fault.Answer{fault.Status(202)},
			answer{202, "", "", false},
		},
		"half a body breaks off": {
			fault.Answer{fault.Cut(4), fault.Message("123456789")},
			answer{200, "application/json", "1234", true},
		},
		"a cut can be counted from the end": {
			fault.Answer{fault.Stream(), fault.Cut(-2), fault.Message("{}")},
			answer{200, "text/event-stream", "data: {}", true},
		},
		"a cut longer than the text is none but of the connection": {
			fault.Answer{fault.Stream(), fault.Cut(100), fault.Message("{}")},
			answer{200, "text/event-stream", "data: {}\n\n", true},
		},
		"-32022 lists versions": {
			fault.Answer{fault.Unsupported("2027-01-01")},
			answer{200, "application/json", `{"jsonrpc":"2.0","id":7,"error":{"code":-32022,"message":"unsupported protocol version","data":{"supported":["2027-01-01"]}}}`, false},
		},
		"a list of nothing is no null": {
			fault.Answer{fault.Tools()},
			answer{200, "application/json", `{"jsonrpc":"2.0","id":7,"result":{"resultType":"complete","tools":[]}}`, false},
		},
		"a pause is no end": {
			fault.Answer{fault.Stream(), fault.Pause(1), fault.Slow(1), fault.Message("{}")},
			answer{200, "text/event-stream", "data: {}\n\n", false},
		},
		"slow bytes all arrive": {
			fault.Answer{fault.Slow(0), fault.Message("{}")},
			answer{200, "application/json", "{}", false},
		},
		"a fill is as long as it says": {
			fault.Answer{fault.Raw("<${fill:5}${n}>")},
			answer{200, "text/plain", "<xxxxx1>", false},
		},
		"stderr and wire-only steps change nothing": {
			fault.Answer{fault.Stderr("x"), fault.Status(200), fault.Raw("y")},
			answer{200, "text/plain", "y", false},
		},
	} {
		t.Run(name, func(t *testing.T) {
			srv := serve(t, fault.Script{"tools/list": {tc.answer}})
			if diff := cmp.Diff(tc.want, post(t, freshClient(t), srv.URL, request)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestHTTPUnscripted(t *testing.T) {
	srv := serve(t, nil)
	for name, tc := range map[string]struct {
		body string
		want int
	}{
		"a request is method not found": {request, 404},
		"a notification is accepted":    {`{"jsonrpc":"2.0","method":"notifications/initialized"}`, 202},
		"a response is accepted":        {`{"jsonrpc":"2.0","id":1,"result":{}}`, 202},
		"nonsense is refused":           {`[]`, 400},
	} {
		t.Run(name, func(t *testing.T) {
			if got := post(t, freshClient(t), srv.URL, tc.body).Status; got != tc.want {
				t.Errorf("status %d, want %d", got, tc.want)
			}
		})
	}
}

func TestAnswersFollowEachOtherAndTheLastStays(t *testing.T) {
	srv := serve(t, fault.Script{"tools/list": {{fault.Status(503)}, {fault.Status(429)}, {fault.Status(200)}}})
	var got []int
	for range 4 {
		got = append(got, post(t, freshClient(t), srv.URL, request).Status)
	}
	if diff := cmp.Diff([]int{503, 429, 200, 200}, got); diff != "" {
		t.Errorf("statuses (-want +got):\n%s", diff)
	}
}

func TestAnyAnswersRequestsOnly(t *testing.T) {
	srv := serve(t, fault.Script{fault.Any: {{fault.Status(418)}}})
	c := freshClient(t)
	if got := post(t, c, srv.URL, request).Status; got != 418 {
		t.Errorf("a request got %d, want 418", got)
	}
	if got := post(t, c, srv.URL, `{"jsonrpc":"2.0","method":"x"}`).Status; got != 202 {
		t.Errorf("a notification got %d, want 202", got)
	}
}

func TestAnEmptyAnswerIsEmpty(t *testing.T) {
	srv := serve(t, fault.Script{"tools/list": nil})
	want := answer{200, "", "", false}
	if diff := cmp.Diff(want, post(t, freshClient(t), srv.URL, request)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestResetIsATCPReset(t *testing.T) {
	for name, answer := range map[string]fault.Answer{
		"before the header": {fault.Reset()},
		"in a body":         {fault.Cut(4), fault.Message("123456789"), fault.Reset()},
	} {
		t.Run(name, func(t *testing.T) {
			srv := serve(t, fault.Script{"tools/list": {answer}})
			resp, err := freshClient(t).Post(srv.URL, "application/json", strings.NewReader(request))
			if err == nil {
				_, err = io.ReadAll(resp.Body)
				_ = resp.Body.Close()
			}
			if !errors.Is(err, syscall.ECONNRESET) {
				t.Errorf("the client met %v, want a reset", err)
			}
		})
	}
}

func TestHalfAHeaderIsAllThatComes(t *testing.T) {
	const half = "HTTP/1.1 200 OK\r\nContent-Le"
	srv := serve(t, fault.Script{"tools/list": {{fault.Wire(half)}}})
	conn, err := net.Dial("tcp", strings.TrimSuffix(strings.TrimPrefix(srv.URL, "http://"), "/mcp"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, srv.URL, strings.NewReader(request))
	if err != nil {
		t.Fatal(err)
	}
	if err := req.Write(conn); err != nil {
		t.Fatal(err)
	}
	said, err := io.ReadAll(conn)
	if string(said) != half || err != nil {
		t.Errorf("read %q, %v", said, err)
	}
}

func TestExitRefusesConnections(t *testing.T) {
	srv := serve(t, fault.Script{"tools/list": {{fault.Exit(1)}}})
	for _, want := range []error{io.EOF, syscall.ECONNREFUSED} {
		if _, err := freshClient(t).Post(srv.URL, "application/json", strings.NewReader(request)); !errors.Is(err, want) {
			t.Errorf("the client met %v, want %v", err, want)
		}
	}
}

func TestLeavingIsRecorded(t *testing.T) {
	for name, answer := range map[string]fault.Answer{
		"silence":         {fault.Silence()},
		"a silent stream": {fault.Stream(), fault.Silence()},
		"a flood":         {fault.Stream(), fault.Forever(": x\n\n")},
		"half a header":   {fault.Wire("HTTP/1.1 200"), fault.Silence()},
	} {
		t.Run(name, func(t *testing.T) {
			srv := serve(t, fault.Script{"tools/list": {answer}})
			ctx, cancel := context.WithCancel(t.Context())
			req, err := http.NewRequestWithContext(ctx, http.MethodPost, srv.URL, strings.NewReader(request))
			if err != nil {
				t.Fatal(err)
			}
			over := make(chan struct{})
			go func() {
				defer close(over)
				if resp, err := freshClient(t).Do(req); err == nil {
					_, _ = io.Copy(io.Discard, resp.Body)
					_ = resp.Body.Close()
				}
			}()
			await(t, srv.Server, "tools/list", 1)
			cancel()
			<-over
			if got := await(t, srv.Server, fault.Left, 1); got.ID != "7" {
				t.Errorf("left %v, want the request with id 7", got)
			}
		})
	}
}

func TestCloseEndsSilence(t *testing.T) {
	srv := fault.NewHTTP(fault.Script{"tools/list": {{fault.Stream(), fault.Silence()}}})
	resp, err := freshClient(t).Post(srv.URL, "application/json", strings.NewReader(request))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	srv.Close()
	if _, err := io.ReadAll(resp.Body); err == nil {
		t.Error("the stream ended properly")
	}
	if srv.Count(fault.Left) != 0 {
		t.Error("the server's end was taken for the client's")
	}
}

func TestLateAnswersComeInTheScriptsOrder(t *testing.T) {
	srv := serve(t, fault.Script{
		"a": {{fault.Stream(), fault.Answered("b"), fault.Result(`1`)}},
		"b": {{fault.After("c"), fault.Result(`2`)}},
		"c": {{fault.Hold("go"), fault.Result(`3`)}},
	})
	c := freshClient(t)
	first, err := c.Post(srv.URL, "application/json", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"a"}`))
	if err != nil {
		t.Fatal(err)
	}
	defer first.Body.Close()
	third := make(chan answer, 1)
	go func() { third <- post(t, c, srv.URL, `{"jsonrpc":"2.0","id":3,"method":"c"}`) }()
	post(t, c, srv.URL, `{"jsonrpc":"2.0","id":2,"method":"b"}`)
	line, err := bufio.NewReader(first.Body).ReadString('\n')
	if want := "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":1}\n"; line != want || err != nil {
		t.Errorf("read %q, %v; want %q", line, err, want)
	}
	select {
	case <-third:
		t.Error("what is held was answered")
	default:
	}
	srv.Release("go")
	<-third
	srv.Release("go") // twice is once
}

func TestRecordsHoldWhatWasSent(t *testing.T) {
	srv := serve(t, nil)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, srv.URL, strings.NewReader(request))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Mcp-Method", "tools/list")
	resp, err := freshClient(t).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	get, err := freshClient(t).Get(srv.URL)
	if err != nil {
		t.Fatal(err)
	}
	_ = get.Body.Close()
	if get.StatusCode != 405 {
		t.Errorf("GET got %d, want 405", get.StatusCode)
	}
	records := srv.Records()
	if len(records) != 2 || records[0].Header.Get("Mcp-Method") != "tools/list" ||
		records[0].String() != "HTTP: tools/list "+request || records[0].ID != "7" || records[1].Key != fault.GET {
		t.Errorf("records: %v", records)
	}
	if diff := cmp.Diff([]string{"tools/list"}, srv.Methods()); diff != "" {
		t.Errorf("methods (-want +got):\n%s", diff)
	}
}

func TestAwaitEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := serve(t, nil).Await(ctx, "never", 1); !errors.Is(err, context.Canceled) {
		t.Errorf("Await: %v", err)
	}
}

func TestTheHandlerWorksBehindTLS(t *testing.T) {
	srv := serve(t, fault.Modern().With(fault.Script{"tools/call": {{fault.Reset()}}}))
	ts := httptest.NewTLSServer(srv)
	defer ts.Close()
	if got := post(t, ts.Client(), ts.URL, request).Status; got != 200 {
		t.Errorf("status %d, want 200", got)
	}
	if _, err := ts.Client().Post(ts.URL, "", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call"}`)); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("the client met %v, want a reset", err)
	}
}
