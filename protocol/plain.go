package protocol

import (
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// ReadResult decodes a result that is known to be valid JSON, as that of a
// Message is, into result, which is zero. Parts of raw become parts of it.
//
// A list of tools and what a tool answers take no decoder where there is nothing
// unusual about them, which is most of the time. Whatever else there is, and all
// that is wrong, is left to the decoder.
func ReadResult(raw jsontext.Value, result any) error {
	switch r := result.(type) {
	case *ListToolsResult:
		if plain, ok := plainToolList(raw); ok {
			*r = plain
			return nil
		}
	case *CallToolResult:
		if plain, ok := plainToolResult(raw); ok {
			*r = plain
			return nil
		}
	}
	return json.Unmarshal(raw, result)
}

func plainToolList(raw jsontext.Value) (r ListToolsResult, ok bool) {
	w := walk{raw}
	ok = w.kind() == '{'
	for name := range w.members() {
		switch string(name) {
		case "tools":
			r.Tools, ok = w.tools()
		case "nextCursor":
			r.NextCursor = new(string)
			ok = w.text(r.NextCursor)
		case "ttlMs":
			ok = r.TTL.UnmarshalJSON(w.value()) == nil
		case "cacheScope":
			ok = w.text((*string)(&r.CacheScope))
		case "_meta":
			r.Meta = Meta(w.value())
		case "resultType":
			r.Extra = resultTypeAlone(w.value())
		default:
			ok = false
		}
		if !ok {
			break
		}
	}
	return r, ok
}

// maxPresized bounds how many elements room is made for by the size of the first.
const maxPresized = 64

func (w *walk) tools() (l List[Tool], ok bool) {
	ok = w.kind() == '['
	for i := range w.elements() {
		start := w.rest
		tool, plain := w.tool()
		if plain {
			l.Items = append(l.room(start, w.rest), tool)
			continue
		}
		w.rest = start
		l.take(i, w.value())
	}
	return l, ok
}

// room returns the items with room for as many as may come, if the first stood
// between start and rest.
func (l *List[T]) room(start, rest []byte) []T {
	switch {
	case l.Items == nil:
		return make([]T, 0, min(len(start)/(len(start)-len(rest))+1, maxPresized))
	case len(l.Items) == cap(l.Items): // twice, where append would grow a long list in many steps
		return slices.Grow(l.Items, len(l.Items))
	default:
		return l.Items
	}
}

func (w *walk) tool() (t Tool, ok bool) {
	ok = w.kind() == '{'
	for name := range w.members() {
		switch string(name) {
		case "name":
			ok = w.text(&t.Name)
		case "title":
			ok = w.text(&t.Title)
		case "description":
			ok = w.text(&t.Description)
		case "inputSchema":
			t.InputSchema = w.value()
		case "outputSchema":
			t.OutputSchema = w.value()
		case "annotations":
			t.Annotations, ok = w.toolAnnotations()
		case "_meta":
			t.Meta = Meta(w.value())
		default:
			ok = false
		}
		if !ok {
			break
		}
	}
	return t, ok
}

func (w *walk) toolAnnotations() (a *ToolAnnotations, ok bool) {
	a, ok = new(ToolAnnotations), w.kind() == '{'
	for name := range w.members() {
		switch string(name) {
		case "title":
			ok = w.text(&a.Title)
		case "readOnlyHint":
			a.ReadOnlyHint, ok = w.boolean()
		case "destructiveHint":
			a.DestructiveHint, ok = w.boolean()
		case "idempotentHint":
			a.IdempotentHint, ok = w.boolean()
		case "openWorldHint":
			a.OpenWorldHint, ok = w.boolean()
		default:
			ok = false
		}
		if !ok {
			break
		}
	}
	return a, ok
}

func plainToolResult(raw jsontext.Value) (r CallToolResult, ok bool) {
	w := walk{raw}
	ok = w.kind() == '{'
	for name := range w.members() {
		switch string(name) {
		case "content":
			r.Content, ok = w.texts()
		case "structuredContent":
			r.StructuredContent = w.value()
		case "isError":
			var failed *bool
			failed, ok = w.boolean()
			r.IsError = *failed
		case "_meta":
			r.Meta = Meta(w.value())
		case "resultType":
			r.Extra = resultTypeAlone(w.value())
		default:
			ok = false
		}
		if !ok {
			break
		}
	}
	return r, ok
}

// texts reads a list of nothing but plain text.
func (w *walk) texts() (c Contents, ok bool) {
	ok = w.kind() == '['
	for range w.elements() {
		var text string
		if text, ok = plainText(w.value()); !ok {
			break
		}
		c = append(c, &TextContent{Text: text})
	}
	return c, ok
}

func (w *walk) text(to *string) (ok bool) {
	if w.kind() == '"' {
		*to, ok = unquoted(w.value()), true
	}
	return ok
}

func (w *walk) boolean() (b *bool, ok bool) {
	kind := w.value().Kind()
	return new(kind == 't'), kind == 't' || kind == 'f'
}

// resultTypeAlone is an Extra that holds a result's type and nothing else.
func resultTypeAlone(value jsontext.Value) jsontext.Value {
	extra := make(jsontext.Value, 0, len(`{"resultType":}`)+len(value))
	extra = append(extra, `{"resultType":`...)
	return append(append(extra, value...), '}')
}
