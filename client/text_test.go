package client_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/conformance/fault"
	"github.com/mcpera/mcpera/protocol"
)

// Whatever a server says, and however much of it: an error's text is fit for a log.
func TestNoErrorTextIsAsLongAsTheServerLikes(t *testing.T) {
	const fill = "${fill:700000}"
	versions := func(n int) string {
		return strings.TrimSuffix(strings.Repeat(`"1999-01-01",`, n), ",")
	}
	modern := func(result string) fault.Script {
		return fault.Modern().With(fault.Script{protocol.MethodCallTool: {{fault.Result(result)}}})
	}
	asks := func(key, method, params string) fault.Script {
		return modern(fmt.Sprintf(`{"resultType":"input_required","inputRequests":{%q:{"method":%q,"params":%s}}}`, key, method, params))
	}
	schema := fault.Result(`{"tools":[{"name":"echo","inputSchema":{"type":"object"},"outputSchema":{"type":"object","properties":{"a":{"const":"` + fill + `"}}}}]}`)
	form := elicitor(func(context.Context, *protocol.ElicitRequest) (*protocol.ElicitResult, error) {
		return nil, errors.New("no")
	})
	for name, script := range map[string]fault.Script{
		"versions of an error":     fault.Modern().With(fault.Script{protocol.MethodDiscover: {{fault.Error(-32022, "no", `{"supported":[`+versions(40_000)+`]}`)}}}),
		"versions of discover":     fault.Modern().With(fault.Script{protocol.MethodDiscover: {{fault.Result(`{"supportedVersions":[` + versions(40_000) + `],"capabilities":{}}`)}}}),
		"a version of discover":    fault.Modern().With(fault.Script{protocol.MethodDiscover: {{fault.Result(`{"supportedVersions":["` + fill + `"],"capabilities":{}}`)}}}),
		"a discover that is wrong": fault.Modern().With(fault.Script{protocol.MethodDiscover: {{fault.Result(`{"supportedVersions":"` + fill + `"}`)}}}),
		"a version of initialize":  fault.Legacy("2025-11-25").With(fault.Script{protocol.MethodInitialize: {{fault.Initialize(fill)}}}),
		"a server's error":         fault.Modern().With(fault.Script{protocol.MethodCallTool: {{fault.Error(-32603, fill, `{"a":"`+fill+`"}`)}}}),
		"a type of result":         modern(`{"resultType":"` + fill + `"}`),
		"a method asked":           asks("k", fill, `{}`),
		"a key asked":              asks(fill, "roots/list", `{}`),
		"a mode of a form":         asks("k", "elicitation/create", `{"mode":"`+fill+`"}`),
		"a form":                   asks("k", "elicitation/create", `{"message":"x","requestedSchema":{"type":"`+fill+`"}}`),
		"a URL's scheme":           asks("k", "elicitation/create", `{"mode":"url","message":"x","url":"`+fill+`://h/"}`),
		"a failed tool":            modern(`{"isError":true,"content":[{"type":"text","text":"` + fill + `"}]}`),
		"a value of no such type":  modern(`{"content":[],"structuredContent":{"n":"` + fill + `"}}`),
		"what does not fit": fault.Modern().With(fault.Script{
			protocol.MethodListTools: {{schema}},
			protocol.MethodCallTool:  {{fault.Result(`{"content":[],"structuredContent":{"a":"` + fill + fill + `"}}`)}},
		}),
		"a list that is none": fault.Modern().With(fault.Script{protocol.MethodListTools: {{fault.Result(`{"tools":"` + fill + `"}`)}}}),
	} {
		t.Run(name, func(t *testing.T) {
			overBoth(t, script, func(t *testing.T, s *scripted) {
				_, err := func() (any, error) {
					c, err := s.connect(t, client.WithHandler(form))
					if err != nil {
						return nil, err
					}
					if _, err := c.ListTools(t.Context()); err != nil && s.Count(protocol.MethodListTools) > 0 && strings.Contains(name, "list") {
						return nil, err
					}
					type number struct {
						N int `json:"n"`
					}
					return client.CallToolAs[number](t.Context(), c, "echo", nil)
				}()
				if err == nil {
					t.Fatal("no error")
				}
				if n := len(err.Error()); n > 4000 {
					t.Errorf("%d bytes: %.300s … %T", n, err.Error(), err)
				}
			})
		})
	}
}
