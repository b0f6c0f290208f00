package protocol

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Methods of the tools feature.
const (
	MethodListTools = "tools/list"
	MethodCallTool  = "tools/call"
)

// A Tool is something that a server can do when called. Schemas are kept as
// they came, in JSON Schema 2020-12 unless they say otherwise.
//
// Source: MCP 2026-07-28, server/tools, "Tool".
type Tool struct {
	Name         string           `json:"name"`
	Title        string           `json:"title,omitempty"`
	Description  string           `json:"description,omitempty"`
	InputSchema  jsontext.Value   `json:"inputSchema,omitzero"`
	OutputSchema jsontext.Value   `json:"outputSchema,omitzero"`
	Annotations  *ToolAnnotations `json:"annotations,omitzero"`
	Icons        Icons            `json:"icons,omitempty"`
	Meta         Meta             `json:"_meta,omitzero"`
	Extra        jsontext.Value   `json:",embed"`
}

// ToolAnnotations are the server's hints about a tool. Decide nothing by them
// unless you trust the server.
type ToolAnnotations struct {
	Title           string         `json:"title,omitempty"`
	ReadOnlyHint    *bool          `json:"readOnlyHint,omitzero"`
	DestructiveHint *bool          `json:"destructiveHint,omitzero"`
	IdempotentHint  *bool          `json:"idempotentHint,omitzero"`
	OpenWorldHint   *bool          `json:"openWorldHint,omitzero"`
	Extra           jsontext.Value `json:",embed"`
}

// ListToolsResult is one page of a server's tools.
//
// Source: MCP 2026-07-28, schema, "ListToolsResult".
type ListToolsResult struct {
	Tools List[Tool] `json:"tools"`
	// NextCursor asks for the next page; nil means there is none. An empty
	// cursor is a cursor.
	NextCursor *string        `json:"nextCursor,omitzero"`
	TTL        TTL            `json:"ttlMs,omitzero"`
	CacheScope CacheScope     `json:"cacheScope,omitempty"`
	Meta       Meta           `json:"_meta,omitzero"`
	Extra      jsontext.Value `json:",embed"`
}

// CallToolParams names a tool and its arguments.
type CallToolParams struct {
	Name      string         `json:"name"`
	Arguments jsontext.Value `json:"arguments,omitzero"` // an object
}

// A CallToolResult is what a tool answered. IsError means that the tool itself
// failed and says so in Content, which is meant for the model.
//
// Source: MCP 2026-07-28, schema, "CallToolResult".
type CallToolResult struct {
	Content           Contents       `json:"content"`
	StructuredContent jsontext.Value `json:"structuredContent,omitzero"`
	IsError           bool           `json:"isError,omitzero"`
	Meta              Meta           `json:"_meta,omitzero"`
	Extra             jsontext.Value `json:",embed"`
}

// Text returns the text of the result's text blocks, joined by newlines.
func (r *CallToolResult) Text() string { return r.Content.Text() }

// A List is a list from a server, read so that one bad element costs only
// itself. An absent or null list is empty.
type List[T any] struct {
	Items []T
	// Dropped says why elements were left out, one error each, in order. After the
	// first hundred one error stands for the rest.
	Dropped []error
}

// maxDropped bounds how many errors a list keeps: an element takes two bytes, and an
// error a hundred.
const maxDropped = 100

// moreDropped is how many more elements were left out.
type moreDropped int

func (n *moreDropped) Error() string { return fmt.Sprintf("%d elements more", int(*n)) }

var errNullElement = errors.New("element is null")

// UnmarshalJSONFrom reads a list or null.
func (l *List[T]) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	*l = List[T]{}
	switch dec.PeekKind() {
	case 'n':
		return dec.SkipValue()
	case '[':
	default:
		return fmt.Errorf("a %s where a list is due", dec.PeekKind())
	}
	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	for i := 0; dec.PeekKind() != ']'; i++ {
		raw, err := dec.ReadValue()
		if err != nil {
			return err
		}
		l.take(i, raw)
	}
	_, err := dec.ReadToken()
	return err
}

// take adds the element that stands at index i.
func (l *List[T]) take(i int, raw jsontext.Value) {
	var item T
	err := errNullElement
	if raw.Kind() != 'n' {
		err = json.Unmarshal(raw, &item)
	}
	if err != nil {
		l.drop(i, err)
		return
	}
	l.Items = append(l.Items, item)
}

// drop notes that the element at index i was left out because of err.
func (l *List[T]) drop(i int, err error) {
	switch n := len(l.Dropped); {
	case n < maxDropped:
		l.Dropped = append(l.Dropped, fmt.Errorf("element %d: %w", i, err))
	case n == maxDropped:
		l.Dropped = append(l.Dropped, new(moreDropped))
		fallthrough
	default:
		if more, ok := l.Dropped[maxDropped].(*moreDropped); ok {
			*more++
		}
	}
}

// MarshalJSONTo writes the items.
func (l List[T]) MarshalJSONTo(enc *jsontext.Encoder) error {
	return json.MarshalEncode(enc, l.Items)
}
