package http

import (
	"errors"
	"net/http"
	"net/http/cookiejar"
	"strings"
	"testing"

	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/transport"
	"github.com/mcpera/mcpera/transport/target"
)

func TestNewRefusesTargetsThatTellByThemselves(t *testing.T) {
	for url, want := range map[string]target.Reason{
		"https://api.example.com/mcp": "",
		"https://93.184.215.14/mcp":   "",
		"http://api.example.com/mcp":  target.Scheme,
		"https://10.0.0.1/mcp":        target.Private,
		"https://[::1]/mcp":           target.Loopback,
		"https://169.254.169.254/":    target.Metadata,
	} {
		tr, err := New(url, WithTargetPolicy(PublicTargets()))
		if tr != nil {
			_ = tr.Close()
		}
		var got target.Reason
		if refused, ok := errors.AsType[*TargetError](err); ok {
			got = refused.Reason
		}
		if got != want || (err == nil) != (want == "") {
			t.Errorf("%s: %v, want %q", url, err, want)
		}
	}
}

// A name is judged by the address that is dialled, and what is refused is final.
func TestRequestsToARefusedAddressFailForGood(t *testing.T) {
	s := newServer(answer(200, "application/json", result))
	s.StartTLS()
	t.Cleanup(s.Close)
	for name, endpoint := range map[string]string{
		"a name": strings.Replace(s.URL, "127.0.0.1", "localhost", 1),
	} {
		t.Run(name, func(t *testing.T) {
			tr := open(t, endpoint, WithTargetPolicy(PublicTargets()))
			o, err := exchange(t.Context(), tr, toolList())
			if !errors.As(err, new(*TargetError)) || !errors.Is(err, transport.ErrPermanent) {
				t.Errorf("error %v", err)
			}
			if o.Failure != negotiation.NetworkError || o.Attempts != 0 {
				t.Errorf("%v after %d attempts", o.Failure, o.Attempts)
			}
			for what, err := range map[string]error{
				"Send":       tr.Send(t.Context(), toolCall()),
				"EndSession": tr.EndSession(t.Context(), "2025-11-25", "s1"),
				"Share":      tr.Share(t.Context()),
				"Listen":     tr.Listen(t.Context(), &transport.Request{}, func() {}),
			} {
				if !errors.As(err, new(*TargetError)) {
					t.Errorf("%s: %v", what, err)
				}
			}
		})
	}
	if n := s.conns.Load(); n != 0 {
		t.Errorf("%d connections came through", n)
	}
}

func TestPolicyAndClientTogether(t *testing.T) {
	s := newServer(answer(200, "application/json", result))
	s.StartTLS()
	t.Cleanup(s.Close)
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	trusting := s.Client().Transport.(*http.Transport)
	for name, tc := range map[string]struct {
		client *http.Client
		opts   []target.Option
		want   string // part of the error of New or Exchange; "" for none
	}{
		"an *http.Transport":                    {&http.Client{Transport: trusting}, []target.Option{target.AllowLoopback()}, ""},
		"one that is refused":                   {&http.Client{Transport: trusting}, nil, "loopback"},
		"only a jar":                            {&http.Client{Jar: jar}, nil, "loopback"},
		"a round tripper that can't be held to": {&http.Client{Transport: tripper(nil)}, nil, "can't be held to"},
		"a nil *http.Transport":                 {&http.Client{Transport: (*http.Transport)(nil)}, nil, "can't be held to"},
	} {
		t.Run(name, func(t *testing.T) {
			endpoint := strings.Replace(s.URL, "127.0.0.1", "localhost", 1)
			if tc.want == "" {
				endpoint = s.URL // for the certificate
			}
			tr, err := New(endpoint, WithClient(tc.client), WithTargetPolicy(PublicTargets(tc.opts...)))
			if err == nil {
				t.Cleanup(func() { _ = tr.Close() })
				_ = tr.Open(t.Context(), nil)
				_, err = exchange(t.Context(), tr, toolCall())
			}
			switch {
			case tc.want == "" && err != nil:
				t.Error(err)
			case tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)):
				t.Errorf("error %v, want one with %q", err, tc.want)
			}
		})
	}
	if _, err := New(s.URL, WithTargetPolicy(nil)); err == nil {
		t.Error("a nil policy was taken")
	}
}

func TestProxiesOfTheEnvironmentAreNotUsedUnderAPolicy(t *testing.T) {
	tr := open(t, "https://example.com/mcp", WithTargetPolicy(PublicTargets()))
	if _, ok := tr.own.(*target.Guard); !ok {
		t.Errorf("requests go through a %T", tr.own) // package target tests what it does
	}
}

func TestHeadersAreBounded(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Padding", strings.Repeat("x", 2<<20))
		answer(200, "application/json", result)(w, r)
	})
	o, err := exchange(t.Context(), open(t, s.URL), toolCall())
	if o.Failure != negotiation.NetworkError || err == nil {
		t.Errorf("%v: %v", o.Failure, err)
	}
}
