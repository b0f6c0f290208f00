package protocol

import (
	"iter"

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
	ok = raw.Kind() == '{'
	for name, value := range members(raw) {
		switch string(name) {
		case "tools":
			r.Tools, ok = plainTools(value)
		case "nextCursor":
			r.NextCursor = new(string)
			ok = plainString(value, r.NextCursor)
		case "ttlMs":
			ok = r.TTL.UnmarshalJSON(value) == nil
		case "cacheScope":
			ok = plainString(value, (*string)(&r.CacheScope))
		case "_meta":
			r.Meta = Meta(value)
		case "resultType":
			r.Extra = resultTypeAlone(value)
		default:
			ok = false
		}
		if !ok {
			return ListToolsResult{}, false
		}
	}
	return r, ok
}

// maxPresized bounds how many elements room is made for by the size of the first.
const maxPresized = 64

func plainTools(raw jsontext.Value) (l List[Tool], ok bool) {
	if raw.Kind() != '[' {
		return l, false
	}
	i := 0
	for element := range elements(raw) {
		if l.Items == nil {
			l.Items = make([]Tool, 0, min(len(raw)/len(element)+1, maxPresized))
		}
		if tool, plain := plainTool(element); plain {
			l.Items = append(l.Items, tool)
		} else {
			l.take(i, element)
		}
		i++
	}
	if len(l.Items) == 0 {
		l.Items = nil // as the decoder leaves it
	}
	return l, true
}

func plainTool(raw jsontext.Value) (t Tool, ok bool) {
	ok = raw.Kind() == '{'
	for name, value := range members(raw) {
		switch string(name) {
		case "name":
			ok = plainString(value, &t.Name)
		case "title":
			ok = plainString(value, &t.Title)
		case "description":
			ok = plainString(value, &t.Description)
		case "inputSchema":
			t.InputSchema = value
		case "outputSchema":
			t.OutputSchema = value
		case "annotations":
			t.Annotations, ok = plainToolAnnotations(value)
		case "_meta":
			t.Meta = Meta(value)
		default:
			ok = false
		}
		if !ok {
			return Tool{}, false
		}
	}
	return t, ok
}

func plainToolAnnotations(raw jsontext.Value) (a *ToolAnnotations, ok bool) {
	a, ok = new(ToolAnnotations), raw.Kind() == '{'
	for name, value := range members(raw) {
		switch string(name) {
		case "title":
			ok = plainString(value, &a.Title)
		case "readOnlyHint":
			a.ReadOnlyHint, ok = plainBool(value)
		case "destructiveHint":
			a.DestructiveHint, ok = plainBool(value)
		case "idempotentHint":
			a.IdempotentHint, ok = plainBool(value)
		case "openWorldHint":
			a.OpenWorldHint, ok = plainBool(value)
		default:
			ok = false
		}
		if !ok {
			return nil, false
		}
	}
	return a, ok
}

func plainToolResult(raw jsontext.Value) (r CallToolResult, ok bool) {
	ok = raw.Kind() == '{'
	for name, value := range members(raw) {
		switch string(name) {
		case "content":
			r.Content, ok = plainContents(value)
		case "structuredContent":
			r.StructuredContent = value
		case "isError":
			r.IsError = value.Kind() == 't'
			ok = r.IsError || value.Kind() == 'f'
		case "_meta":
			r.Meta = Meta(value)
		case "resultType":
			r.Extra = resultTypeAlone(value)
		default:
			ok = false
		}
		if !ok {
			return CallToolResult{}, false
		}
	}
	return r, ok
}

// plainContents reads a list of nothing but plain text.
func plainContents(raw jsontext.Value) (c Contents, ok bool) {
	ok = raw.Kind() == '['
	for element := range elements(raw) {
		text, plain := plainText(element)
		if !plain {
			return nil, false
		}
		c = append(c, &TextContent{Text: text})
	}
	return c, ok
}

func plainString(value jsontext.Value, to *string) bool {
	if value.Kind() != '"' {
		return false
	}
	*to = unquoted(value)
	return true
}

func plainBool(value jsontext.Value) (b *bool, ok bool) {
	kind := value.Kind()
	return new(kind == 't'), kind == 't' || kind == 'f'
}

// resultTypeAlone is an Extra that holds a result's type and nothing else.
func resultTypeAlone(value jsontext.Value) jsontext.Value {
	extra := make(jsontext.Value, 0, len(`{"resultType":}`)+len(value))
	extra = append(extra, `{"resultType":`...)
	return append(append(extra, value...), '}')
}

// elements yields the elements of an array that is known to be valid JSON, as
// members does those of an object.
func elements(array jsontext.Value) iter.Seq[jsontext.Value] {
	return func(yield func(jsontext.Value) bool) {
		rest := trimBlanks(array)
		for len(rest) > 1 {
			rest = trimBlanks(rest[1:]) // behind the bracket or a comma
			n := valueLength(rest)
			if n == 0 || !yield(jsontext.Value(rest[:n:n])) {
				return // the end of the array
			}
			rest = trimBlanks(rest[n:])
		}
	}
}
