package client_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/conformance/fault"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
)

// toolPage answers tools/list with one tool and the rest of the result.
func toolPage(name, rest string) fault.Answer {
	return fault.Answer{fault.Result(`{"tools":[{"name":"` + name + `"}]` + rest + `}`)}
}

// B-PAG-01, M-PAG-02, B-PAG-03, B-PAG-04, B-PRO-01, B094, B095, B013: an
// iterator goes on as long as there are pages, and says why it ends early;
// what was read is not lost.
func TestAnIteratorReadsPageByPage(t *testing.T) {
	for name, tc := range map[string]struct {
		pages   []fault.Answer
		want    []string
		end     error // matched by the error at the end; nil for none
		cursors []string
	}{
		"one page":                        {[]fault.Answer{toolPage("a", "")}, []string{"a"}, nil, []string{""}},
		"a null cursor is none":           {[]fault.Answer{toolPage("a", `,"nextCursor":null`)}, []string{"a"}, nil, []string{""}},
		"an empty cursor is one":          {[]fault.Answer{toolPage("a", `,"nextCursor":""`), toolPage("b", "")}, []string{"a", "b"}, nil, []string{"", `""`}},
		"cursors are opaque":              {[]fault.Answer{toolPage("a", `,"nextCursor":"\u00e9 /?=1"`), toolPage("b", "")}, []string{"a", "b"}, nil, []string{"", `"é /?=1"`}},
		"an empty page is no end":         {[]fault.Answer{{fault.Result(`{"tools":[],"nextCursor":"2"}`)}, toolPage("b", "")}, []string{"b"}, nil, []string{"", `"2"`}},
		"an empty cursor for ever (B094)": {[]fault.Answer{toolPage("a", `,"nextCursor":""`)}, []string{"a", "a"}, client.ErrRepeatedCursor, []string{"", `""`}},
		"a circle (B095)": {[]fault.Answer{toolPage("a", `,"nextCursor":"1"`), toolPage("b", `,"nextCursor":"2"`), toolPage("c", `,"nextCursor":"1"`)},
			[]string{"a", "b", "c"}, client.ErrRepeatedCursor, []string{"", `"1"`, `"2"`}},
		"a page that fails (B013)": {[]fault.Answer{toolPage("a", `,"nextCursor":"1"`), {fault.Error(-32603, "no")}},
			[]string{"a"}, &protocol.Error{Code: -32603}, []string{"", `"1"`}},
		"a first page that fails": {[]fault.Answer{{fault.Error(-32603, "no")}}, nil, &protocol.Error{Code: -32603}, []string{""}},
		"null for a list (B083)":  {[]fault.Answer{{fault.Result(`{"tools":null}`)}}, nil, nil, []string{""}},
		"no list (B084)":          {[]fault.Answer{{fault.Result(`{"resultType":"complete"}`)}}, nil, nil, []string{""}},
		"bad elements (B082)":     {[]fault.Answer{{fault.Result(`{"tools":[null,7,{"name":"a"},{"name":8}]}`)}}, []string{"a"}, nil, []string{""}},
	} {
		t.Run(name, func(t *testing.T) {
			for era, script := range map[string]fault.Script{"modern": fault.Modern(), "legacy": fault.Legacy("2025-11-25")} {
				s := overHTTP(t, script.With(fault.Script{protocol.MethodListTools: tc.pages}))
				var got []string
				var end error
				for tool, err := range s.connected(t).Tools(t.Context()) {
					if end = err; err == nil {
						got = append(got, tool.Name)
					}
				}
				if diff := cmp.Diff(tc.want, got); diff != "" {
					t.Errorf("%s: tools (-want +got):\n%s", era, diff)
				}
				if (tc.end == nil) != (end == nil) || tc.end != nil && !errors.Is(end, tc.end) {
					t.Errorf("%s: the end is %v", era, end)
				}
				if late := errors.As(end, new(*client.PageError)); late != (tc.end != nil && len(tc.want) > 0) {
					t.Errorf("%s: the end is %v, a %T", era, end, end)
				}
				var cursors []string
				for n := range s.Count(protocol.MethodListTools) {
					cursors = append(cursors, member(t, s.await(t, protocol.MethodListTools, n+1).Body, "params", "cursor"))
				}
				if era == "legacy" && len(cursors) == 1 && cursors[0] == "" {
					continue // a first page needs no params there
				}
				if diff := cmp.Diff(tc.cursors, cursors); diff != "" {
					t.Errorf("%s: cursors (-want +got):\n%s", era, diff)
				}
			}
		})
	}
}

// B095: fresh cursors for ever end at a limit.
func TestTheNumberOfPagesIsLimited(t *testing.T) {
	s := overHTTP(t, fault.Modern().With(fault.Script{protocol.MethodListTools: {{fault.Result(`{"tools":[{"name":"a"}],"nextCursor":"${n}"}`)}}}))
	n := 0
	var end error
	for _, err := range s.connected(t).Tools(t.Context()) {
		if end = err; err == nil {
			n++
		}
	}
	if page, ok := errors.AsType[*client.PageError](end); !ok || !errors.Is(end, client.ErrTooManyPages) || page.Pages != 1000 || n != 1000 {
		t.Errorf("%v after %d tools", end, n)
	}
	n = 0
	for _, err := range s.connected(t, client.WithMaxPages(2)).Tools(t.Context()) {
		end = err
		n++
	}
	if page, ok := errors.AsType[*client.PageError](end); !ok || page.Pages != 2 || n != 3 || !containsAll(end.Error(), "WithMaxPages") {
		t.Errorf("%v after %d, want two pages and an error that names the option", end, n)
	}
}

// Leaving the loop asks for no further page, and the context ends it.
func TestNoPageIsReadThatNobodyWants(t *testing.T) {
	s := overHTTP(t, fault.Modern().With(fault.Script{protocol.MethodListTools: {
		{fault.Result(`{"tools":[{"name":"a"},{"name":"b"}],"nextCursor":"${n}"}`)},
	}}))
	c := s.connected(t)
	for range c.Tools(t.Context()) {
		break
	}
	if n := s.Count(protocol.MethodListTools); n != 1 {
		t.Errorf("%d pages", n)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var end error
	for _, err := range c.Tools(ctx) {
		cancel()
		end = err
	}
	if !errors.Is(end, context.Canceled) || s.Count(protocol.MethodListTools) != 2 {
		t.Errorf("%v after %d pages", end, s.Count(protocol.MethodListTools))
	}
}

// An iterator can be ranged over again, from the start.
func TestAnIteratorStartsAnewEachTime(t *testing.T) {
	s := overHTTP(t, fault.Modern().With(fault.Script{protocol.MethodListTools: {
		toolPage("a", `,"nextCursor":"2"`), toolPage("b", ""), toolPage("a", `,"nextCursor":"2"`), toolPage("b", ""),
	}}))
	all := s.connected(t).Tools(t.Context())
	for range 2 {
		got := ""
		for tool, err := range all {
			if err != nil {
				t.Fatal(err)
			}
			got += tool.Name
		}
		if got != "ab" {
			t.Errorf("got %s", got)
		}
	}
}

// M-ERR-06: both eras' ways to say that there is no such resource.
func TestAMissingResourceIsKnownByEitherCode(t *testing.T) {
	for code, missing := range map[int64]bool{-32002: true, -32602: true, -32603: false, -32601: false, -32000: false} {
		for era, script := range map[string]fault.Script{"modern": fault.Modern(), "legacy": fault.Legacy("2025-11-25")} {
			t.Run(fmt.Sprint(era, code), func(t *testing.T) {
				s := overHTTP(t, script.With(fault.Script{protocol.MethodReadResource: {{fault.Error(code, "no", `{"uri":"a:b"}`)}}}))
				_, err := s.connected(t).ReadResource(t.Context(), "a:b")
				server, ok := errors.AsType[*transport.ServerError](err)
				if !ok || server.Err.Code != code || errors.Is(err, client.ErrResourceNotFound) != missing {
					t.Errorf("ReadResource: %v", err)
				}
			})
		}
	}
}
