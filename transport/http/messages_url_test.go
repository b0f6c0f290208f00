package http

import (
	"net/url"
	"testing"

	"github.com/mcpera/mcpera/internal/origin"
)

// FuzzMessagesURL: wherever an endpoint event points, messages go to the origin
// that the program named, with no credentials of the server's choosing, and the
// URL is one that means the same when it is read again.
func FuzzMessagesURL(f *testing.F) {
	for _, reference := range []string{
		"/messages?sessionId=1", "messages", "?s=1", "", "#part", "//other/messages", "http://h:8080/messages", "HTTP://H:8080/m",
		"https://h:8080/messages", "http://h:8080@other/", "http://user:secret@h:8080/m", "http://h:80%380/", "/%2e%2e//other", `\\other\m`,
		"http:messages", "http:///m", "//h:8080", "javascript:alert(1)", "/m\r\nHost: other", "http://[::1]:8080/", "http://h:08080/",
	} {
		f.Add(reference)
	}
	stream := &url.URL{Scheme: "http", Host: "h:8080", Path: "/sse", RawQuery: "key=1"}
	f.Fuzz(func(t *testing.T, reference string) {
		u, err := messagesURL(stream, reference, nil)
		if err != nil {
			return
		}
		if u.Scheme != "http" || u.User != nil || origin.Of(u) != "http://h:8080" {
			t.Errorf("%q leads to %s", reference, u)
		}
		again, err := url.Parse(u.String())
		if err != nil || again.Host != u.Host || again.EscapedPath() != u.EscapedPath() || again.RawQuery != u.RawQuery {
			t.Errorf("%q is %s, which is read as %v, %v", reference, u, again, err)
		}
	})
}
