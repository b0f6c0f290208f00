package origin

import (
	"net/url"
	"strings"
	"testing"
)

func TestOf(t *testing.T) {
	for name, tc := range map[string]struct{ url, want string }{
		"a plain URL":                                {"https://api.example.com/mcp", "https://api.example.com"},
		"scheme and host are lower-case":             {"HTTPS://API.Example.COM/mcp", "https://api.example.com"},
		"port 80 is http's default":                  {"http://h:80/", "http://h"},
		"port 443 is https's default":                {"https://h:443/", "https://h"},
		"port 443 is not http's default":             {"http://h:443/", "http://h:443"},
		"port 80 is not https's default":             {"https://h:80/", "https://h:80"},
		"another port is kept":                       {"http://h:8080/", "http://h:8080"},
		"an empty port is the default":               {"http://h:/", "http://h"},
		"another scheme has no default port":         {"ws://h:80/", "ws://h:80"},
		"IPv4":                                       {"http://127.0.0.1:80/", "http://127.0.0.1"},
		"IPv6 stands in brackets":                    {"http://[2001:DB8::1]/", "http://[2001:db8::1]"},
		"IPv6 with the default port":                 {"https://[::1]:443/", "https://[::1]"},
		"IPv6 with another port":                     {"http://[::1]:8080/", "http://[::1]:8080"},
		"an IPv6 zone stays escaped":                 {"http://[fe80::1%25en0]:80/", "http://[fe80::1%25en0]"},
		"a closing dot is kept":                      {"http://h./", "http://h."},
		"userinfo, query and fragment are not in it": {"https://me:secret@h/p?token=secret#secret", "https://h"},
		"a URL without a scheme":                     {"//h/p", "//h"},
		"a URL without a host":                       {"mailto:me@h", "mailto:"},
	} {
		t.Run(name, func(t *testing.T) {
			u, err := url.Parse(tc.url)
			if err != nil {
				t.Fatal(err)
			}
			if got := Of(u); got != tc.want {
				t.Errorf("Of(%s) = %q, want %q", tc.url, got, tc.want)
			}
		})
	}
}

func TestOfLowersTheSchemeOfAHandMadeURL(t *testing.T) {
	if got, want := Of(&url.URL{Scheme: "HTTPS", Host: "H:443"}), "https://h"; got != want {
		t.Errorf("Of = %q, want %q", got, want)
	}
}

// FuzzOf checks that the origin of an origin is itself and that nothing but
// scheme, host and port gets in.
func FuzzOf(f *testing.F) {
	f.Add("https://me:secret@API.example.com:443/p?q#f")
	f.Add("http://[fe80::1%25en0]:80/")
	f.Fuzz(func(t *testing.T, text string) {
		u, err := url.Parse(text)
		if err != nil {
			t.Skip()
		}
		first := Of(u)
		if strings.ContainsAny(first, "@?#") {
			t.Errorf("Of(%q) = %q, with more than an origin", text, first)
		}
		if strings.Contains(u.Hostname(), ":") {
			return // net/url takes more than IPv6 addresses here, and writes some that it does not take
		}
		again, err := url.Parse(first)
		if err != nil {
			t.Fatalf("Of(%q) = %q, not a URL: %v", text, first, err)
		}
		if second := Of(again); second != first {
			t.Errorf("Of(%q) = %q, whose origin is %q", text, first, second)
		}
	})
}
