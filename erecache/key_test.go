package erecache

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func parse(t *testing.T, text string) *url.URL {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestKeyOf(t *testing.T) {
	for name, tc := range map[string]struct {
		url  string
		want Key
	}{
		"origin and path":                 {"https://h/mcp", Key{"https://h", "/mcp"}},
		"scheme and host are lower-case":  {"HTTPS://H/mcp", Key{"https://h", "/mcp"}},
		"the path keeps its case":         {"https://h/MCP", Key{"https://h", "/MCP"}},
		"the default port is left out":    {"https://h:443/mcp", Key{"https://h", "/mcp"}},
		"another port is kept":            {"https://h:8443/mcp", Key{"https://h:8443", "/mcp"}},
		"an empty path is /":              {"https://h", Key{"https://h", "/"}},
		"a closing slash is another path": {"https://h/mcp/", Key{"https://h", "/mcp/"}},
		"an escaped slash stays escaped":  {"https://h/a%2Fb", Key{"https://h", "/a%2Fb"}},
		"no userinfo, query or fragment":  {"https://me:secret@h/mcp?token=secret#secret", Key{"https://h", "/mcp"}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, KeyOf(parse(t, tc.url))); diff != "" {
				t.Errorf("KeyOf(%s) (-want +got):\n%s", tc.url, diff)
			}
		})
	}
}

func TestOriginIsThatOfTheKey(t *testing.T) {
	u := parse(t, "HTTPS://me:secret@H:443/mcp?q#f")
	if got, want := Origin(u), KeyOf(u).Origin; got != want || got != "https://h" {
		t.Errorf("Origin = %q, the key's is %q, want https://h", got, want)
	}
}

func TestCommandKey(t *testing.T) {
	t.Run("the same command has the same key", func(t *testing.T) {
		if a, b := CommandKey("npx", "server"), CommandKey("npx", "server"); a != b {
			t.Errorf("keys %#v and %#v for one command", a, b)
		}
	})
	t.Run("commands that read alike have keys of their own", func(t *testing.T) {
		commands := [][]string{nil, {""}, {"", ""}, {"a b"}, {"a", "b"}, {"b", "a"}, {"ab"}, {"a", "b", ""}, {"a\x00b"}}
		seen := map[Key][]string{}
		for _, argv := range commands {
			key := CommandKey(argv...)
			if other, ok := seen[key]; ok {
				t.Errorf("%q and %q share a key", argv, other)
			}
			seen[key] = argv
		}
	})
	t.Run("no argument can be read in it", func(t *testing.T) {
		key := CommandKey("server", "--token=secret")
		if text := key.Origin + key.Path; strings.Contains(text, "secret") || strings.Contains(text, "server") {
			t.Errorf("key is %q", text)
		}
	})
	t.Run("it is no URL's key", func(t *testing.T) {
		key := CommandKey("server")
		if key == KeyOf(parse(t, "stdio/"+key.Path)) || key.Origin != "stdio" {
			t.Errorf("key is %#v", key)
		}
	})
}

func TestKeyShowsItsOriginOnly(t *testing.T) {
	key := Key{Origin: "https://h", Path: "/secret"}
	var text, json bytes.Buffer
	slog.New(slog.NewTextHandler(&text, nil)).Info("", "key", key)
	slog.New(slog.NewJSONHandler(&json, nil)).Info("", "key", key)
	for how, got := range map[string]string{
		"%v":   fmt.Sprintf("%v", key),
		"%+v":  fmt.Sprintf("%+v", key),
		"text": text.String(),
		"JSON": json.String(),
	} {
		if strings.Contains(got, "secret") || !strings.Contains(got, "https://h") {
			t.Errorf("%s: %q", how, got)
		}
	}
}

func TestHash(t *testing.T) {
	t.Run("it stays the same over versions of this package", func(t *testing.T) {
		const want = "3fa581923c5f81405fa0020a2ada20eb3537d9bb2bfa705d617604720cfd24f6"
		if got := here.Hash(); got != want {
			t.Errorf("Hash = %s, want %s", got, want)
		}
	})
	t.Run("it tells where the origin ends", func(t *testing.T) {
		a, b := Key{"https://h", "/mcp"}, Key{"https://h/", "mcp"}
		if a.Hash() == b.Hash() {
			t.Errorf("%#v and %#v have one hash", a, b)
		}
	})
}
