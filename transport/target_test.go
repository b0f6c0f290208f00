package transport_test

import (
	"net/url"
	"testing"

	"github.com/mcpera/mcpera/transport"
)

func TestTargetStringShowsNoSecret(t *testing.T) {
	secretURL, err := url.Parse("HTTPS://user:SECRET@API.example.com:443/SECRET?key=SECRET#SECRET")
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		target transport.Target
		want   string
	}{
		"a URL is its origin":                {transport.Target{URL: secretURL, Principal: "SECRET"}, "https://api.example.com"},
		"a command is its program's name":    {transport.Target{Command: []string{"/opt/SECRET/server", "--token=SECRET"}}, "server"},
		"a target of neither is still named": {transport.Target{Principal: "SECRET"}, "server"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := tc.target.String(); got != tc.want {
				t.Errorf("String() = %q, want %q", got, tc.want)
			}
		})
	}
}
