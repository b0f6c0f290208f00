package comparison_test

import (
	"context"
	"strings"
	"testing"

	"github.com/mcpera/mcpera/conformance/fault"
	"github.com/mcpera/mcpera/protocol"
)

// answered connects to a modern server whose tool answers as scripted.
func answered(t *testing.T, ctx context.Context, c contender, answers ...fault.Answer) session {
	t.Helper()
	srv := fault.NewHTTP(fault.Modern().With(fault.Script{protocol.MethodCallTool: answers}))
	t.Cleanup(srv.Close)
	return dialed(t, ctx, c, server{url: srv.URL})
}

// names sends answers whose member names are wrong.
func names(t *testing.T, ctx context.Context, c contender) string {
	return read(t, ctx, c, `{"jsonrpc":"2.0","id":${id},"Result":{"resultType":"complete","content":[{"type":"text","text":"it"}]}}`) + "; " +
		read(t, ctx, c, `{"jsonrpc":"2.0","id":${id},"result":{"resultType":"complete","content":[{"type":"text","text":"the first"}]},`+
			`"result":{"resultType":"complete","content":[{"type":"text","text":"the last"}]}}`)
}

// read says what is read of a message.
func read(t *testing.T, ctx context.Context, c contender, message string) string {
	t.Helper()
	a, err := answered(t, ctx, c, fault.Answer{fault.Message(message)}).call(ctx, "echo", nil)
	if err != nil {
		t.Log(err)
		return "an error"
	}
	return "reads " + a.text
}

func integer(t *testing.T, ctx context.Context, c contender) string {
	const exact = "9007199254740993"
	s := answered(t, ctx, c, fault.Answer{fault.Result(`{"resultType":"complete","content":[],"structuredContent":{"id":` + exact + `}}`)})
	a, err := s.call(ctx, "echo", nil)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(a.structured, exact) {
		return "exact"
	}
	t.Log(a.structured)
	return "rounded"
}

func schema(t *testing.T, ctx context.Context, c contender) string {
	srv := fault.NewHTTP(fault.Modern().With(fault.Script{
		protocol.MethodListTools: {{fault.Result(`{"resultType":"complete","tools":[{"name":"echo","inputSchema":{"type":"object"},` +
			`"outputSchema":{"type":"object","properties":{"sum":{"type":"number"}},"required":["sum"]}}]}`)}},
		protocol.MethodCallTool: {{fault.Result(`{"resultType":"complete","content":[],"structuredContent":{"sum":"many"}}`)}},
	}))
	t.Cleanup(srv.Close)
	s := dialed(t, ctx, c, server{url: srv.URL})
	if err := s.list(ctx); err != nil {
		t.Fatal(err)
	}
	a, err := s.call(ctx, "echo", nil)
	switch {
	case err != nil && a.structured != "":
		return "an error, and the result"
	case err != nil:
		return "an error"
	}
	return "not checked"
}
