package http

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
)

// secret stands wherever the caller can put one.
const secret = "s3cr3tmarker"

// secretive returns an endpoint and options full of secrets for a server.
func secretive(url string) (string, []Option) {
	url = strings.Replace(url, "://", "://"+secret+":"+secret+"@", 1)
	return url + "/" + secret + "?key=" + secret + "#" + secret, []Option{
		WithHeader("Authorization", "Bearer "+secret), WithHeader("X-Api-Key", secret), WithHeader("Cookie", "c="+secret),
	}
}

// reveals returns the texts of err and of all that it wraps that hold the
// secret.
func reveals(err error) (texts []string) {
	if err == nil {
		return nil
	}
	for _, text := range []string{err.Error(), fmt.Sprintf("%+v", err), fmt.Sprintf("%#v", err)} {
		if strings.Contains(text, secret) {
			texts = append(texts, text)
		}
	}
	switch err := err.(type) {
	case interface{ Unwrap() error }:
		texts = append(texts, reveals(err.Unwrap())...)
	case interface{ Unwrap() []error }:
		for _, cause := range err.Unwrap() {
			texts = append(texts, reveals(cause)...)
		}
	}
	return texts
}

// raw starts a TCP server that reads one request of each connection and answers
// with text.
func raw(t *testing.T, text string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			wg.Go(func() {
				defer conn.Close()
				if _, err := http.ReadRequest(bufio.NewReader(conn)); err == nil {
					_, _ = io.WriteString(conn, text)
				}
			})
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		wg.Wait()
	})
	return "http://" + l.Addr().String()
}

func TestNoErrorRevealsASecret(t *testing.T) {
	closed := newServer(nil)
	closed.Start()
	closed.Close()
	untrusted := newServer(answer(200, "", ""))
	untrusted.StartTLS()
	t.Cleanup(untrusted.Close)
	at := func(handler http.HandlerFunc) string { return serve(t, handler).URL }
	to := func(location string) string { return at(redirect(307, location)) }
	huge := strings.Repeat("x", 1<<20)

	for name, url := range map[string]string{
		"connection refused":          closed.URL,
		"certificate":                 untrusted.URL,
		"TLS to a plain server":       strings.Replace(at(answer(200, "", "")), "http:", "https:", 1),
		"plain to a TLS server":       strings.Replace(untrusted.URL, "https:", "http:", 1),
		"no HTTP":                     raw(t, "hello\r\n\r\n"),
		"a huge first line":           raw(t, huge+"\r\n\r\n"),
		"a huge header":               raw(t, "HTTP/1.1 200 OK\r\nX: "+huge+"\r\nbroken\r\n\r\n"),
		"no answer":                   raw(t, ""),
		"half a header":               raw(t, "HTTP/1.1 200 OK\r\nContent-"),
		"a broken header":             raw(t, "HTTP/1.1 200 OK\r\n: x\r\n\r\n"),
		"a broken chunk":              raw(t, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n"),
		"half a body":                 raw(t, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"),
		"half a stream":               raw(t, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\nContent-Type: text/event-stream\r\n\r\ndata: {"),
		"broken compression":          raw(t, "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc"),
		"an odd status":               raw(t, "HTTP/1.1 999 Odd\r\nContent-Length: 0\r\n\r\n"),
		"a switch of protocols":       raw(t, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n"),
		"401":                         at(answer(401, "", "")),
		"404":                         at(answer(404, "text/plain", "no")),
		"503":                         at(answer(503, "", "")),
		"an error":                    at(answer(400, "application/json", failure)),
		"a foreign id":                at(answer(200, "application/json", `{"jsonrpc":"2.0","id":"other","result":{}}`)),
		"no JSON":                     at(answer(200, "application/json", "{")),
		"a huge name twice":           at(answer(200, "application/json", `{"`+huge+`":1,"`+huge+`":2}`)),
		"a batch":                     at(answer(200, "application/json", "["+result+"]")),
		"a web page":                  at(answer(200, "text/html", "<html>")),
		"too large":                   at(answer(200, "application/json", `"`+strings.Repeat("x", 2<<20)+`"`)),
		"too large an event":          at(answer(200, "text/event-stream", "data: "+strings.Repeat("x", 2<<20)+"\n\n")),
		"a stream without end":        at(stream(false)),
		"an unreadable event":         at(stream(false, "data: x\n\n")),
		"a redirect to another place": to("https://" + secret + ":" + secret + "@elsewhere.example/?k=" + secret + "#" + secret),
		"a redirect to itself":        to(""),
		"a redirect that is no URL":   to("http://%" + secret),
		"a redirect to a port":        to("http://h:" + secret + "/"),
		"a redirect to a scheme":      to("x:" + secret),
	} {
		t.Run(name, func(t *testing.T) {
			endpoint, opts := secretive(url)
			tr := open(t, endpoint, append(opts, WithRetries(1), WithMaxMessage(1<<20))...)
			for _, req := range []*transport.Request{toolCall(), toolList(), withSession()} {
				o, err := exchange(t.Context(), tr, req)
				if err == nil {
					t.Fatal("no error")
				}
				checkError(t, err)
				if o.Err != nil && len(reveals(o.Err)) > 0 {
					t.Errorf("the outcome reveals: %q", reveals(o.Err))
				}
				checkError(t, tr.Send(t.Context(), req))
			}
			checkError(t, tr.EndSession(t.Context(), "2025-11-25", secret))
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			_, err := exchange(ctx, tr, toolCall())
			checkError(t, err)
			checkError(t, tr.Close())
			_, err = exchange(t.Context(), tr, toolCall())
			checkError(t, err)
		})
	}
}

func checkError(t *testing.T, err error) {
	t.Helper()
	if err == nil {
		return
	}
	if texts := reveals(err); len(texts) > 0 {
		t.Errorf("%T reveals: %q", err, texts)
	}
	if text := err.Error(); len(text) > 4<<10 || strings.Contains(text, "\n") {
		t.Errorf("%d bytes: %.300q", len(text), text)
	}
}

// withSession is a legacy request with a secret session.
func withSession() *transport.Request {
	req := toolCall()
	req.Era, req.Version, req.Session = negotiation.EraLegacy, "2025-11-25", secret
	return req
}

func TestNoErrorRevealsWhatCannotBeSent(t *testing.T) {
	tr := open(t, "http://127.0.0.1:1")
	for name, change := range map[string]func(*transport.Request){
		"a session that is no header": func(r *transport.Request) { r.Era, r.Session = negotiation.EraLegacy, secret+"\r\n" },
		"a parameter that is none":    func(r *transport.Request) { r.Params = map[string]string{"Mcp-Param-A": secret + "\r\n"} },
		"a version that is none":      func(r *transport.Request) { r.Version = secret + "\r\n" },
	} {
		req := toolCall()
		change(req)
		o, err := exchange(t.Context(), tr, req)
		if o.Failure != negotiation.NetworkError || err == nil {
			t.Errorf("%s: %v, %v", name, o.Failure, err)
		}
		checkError(t, err)
	}
}

func TestNoFormOfATransportRevealsASecret(t *testing.T) {
	endpoint, opts := secretive("http://h")
	tr := open(t, endpoint, opts...)
	for _, format := range []string{"%v", "%+v", "%s"} {
		if text := fmt.Sprintf(format, tr.Target()); strings.Contains(text, secret) {
			t.Errorf("%s of the target: %s", format, text)
		}
		if text := fmt.Sprintf(format, tr); strings.Contains(text, secret) {
			t.Errorf("%s of the transport: %s", format, text)
		}
	}
}

func TestAReceiverIsNotGivenWhatFollowsAFailure(t *testing.T) {
	r := receiverFunc(func(m *protocol.Message, _ *transport.Request) { t.Errorf("received %s", m.Method) })
	tr := openTo(t, r, serve(t, stream(true, "data: nonsense\n\n", "data: {\"jsonrpc\":\"2.0\",\"method\":\"late\"}\n\n")).URL)
	if _, err := exchange(t.Context(), tr, toolCall()); !errors.As(err, new(*transport.MessageError)) {
		t.Errorf("error %v", err)
	}
}
