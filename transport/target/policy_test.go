package target

import (
	"errors"
	"net/url"
	"testing"
)

func TestCheckURL(t *testing.T) {
	dev := []Option{AllowLoopback()}
	for raw, tc := range map[string]struct {
		opts []Option
		want Reason
	}{
		"https://api.example.com/mcp":       {nil, ""},
		"HTTPS://api.example.com":           {nil, ""},
		"https://93.184.215.14:8443/":       {nil, ""},
		"http://api.example.com/mcp":        {nil, Scheme},
		"ftp://api.example.com/":            {nil, Scheme},
		"file:///etc/passwd":                {nil, Scheme},
		"unix:///run/docker.sock":           {nil, Scheme},
		"javascript:alert(1)":               {nil, Scheme},
		"https://127.0.0.1/":                {nil, Loopback},
		"https://[::1]:8443/":               {nil, Loopback},
		"https://[::ffff:10.0.0.1]/":        {nil, Private},
		"https://[fe80::1%25eth0]/":         {nil, LinkLocal},
		"https://user:pw@169.254.169.254/x": {nil, Metadata},
		"https://localhost/":                {nil, ""}, // a name: judged when it is dialled
		"http://localhost:3000/":            {dev, ""},
		"http://127.0.0.1:3000/":            {dev, ""},
		"https://127.0.0.1:3000/":           {dev, ""},
		"http://93.184.215.14/":             {dev, Scheme},
		"http://10.0.0.1/":                  {dev, Scheme},
		"https://10.0.0.1/":                 {dev, Private},
		"ftp://127.0.0.1/":                  {dev, Scheme},
	} {
		t.Run(raw, func(t *testing.T) {
			u, err := url.Parse(raw)
			if err != nil {
				t.Fatal(err)
			}
			var got Reason
			if refused, ok := errors.AsType[*Error](Public(tc.opts...).CheckURL(u)); ok {
				got = refused.Reason
			}
			if got != tc.want {
				t.Errorf("refused for %q, want %q", got, tc.want)
			}
		})
	}
}

func TestErrorNamesWhatWasRefusedAndNoSecret(t *testing.T) {
	for raw, want := range map[string]string{
		"https://user:SECRET@10.0.0.1:8443/SECRET?k=SECRET": "the target policy refuses https://10.0.0.1:8443: 10.0.0.1 is a private address",
		"http://user:SECRET@api.example.com/SECRET#SECRET":  "the target policy refuses http://api.example.com: only https is allowed",
	} {
		u, err := url.Parse(raw)
		if err != nil {
			t.Fatal(err)
		}
		if got := Public().CheckURL(u).Error(); got != want {
			t.Errorf("%s:\n got %s\nwant %s", raw, got, want)
		}
	}
}
