package protocol

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Some members only hint: at how long an answer is fresh and for whom, at how to
// show something, at what a tool does. One that is not in its form counts as
// absent, and costs nothing but itself. These are TTL, CacheScope, Annotations,
// ToolAnnotations and Icons; a Meta is kept whatever it is. All other members are
// what they should be, or cost what they stand in.

// A CacheScope says who may be given a kept answer: "public" means everybody, and
// anything else those with the same credentials alone.
//
// Source: MCP 2026-07-28, server/utilities/caching, "Cache Scope Field".
type CacheScope string

// UnmarshalJSON never fails on valid JSON.
func (s *CacheScope) UnmarshalJSON(data []byte) error {
	*s = ""
	if jsontext.Value(data).Kind() == '"' {
		*s = CacheScope(unquoted(data))
	}
	return nil
}

// UnmarshalJSONFrom never fails on valid JSON.
func (a *Annotations) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	type plain Annotations
	return readHint(dec, (*plain)(a))
}

// UnmarshalJSONFrom never fails on valid JSON.
func (a *ToolAnnotations) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	type plain ToolAnnotations
	return readHint(dec, (*plain)(a))
}

// readHint reads a hint into one, which stays zero for what is not in its form.
func readHint[T any](dec *jsontext.Decoder, hint *T) error {
	raw, err := dec.ReadValue()
	if err != nil {
		return err
	}
	var read T
	if json.Unmarshal(raw, &read) != nil {
		read = *new(T)
	}
	*hint = read
	return nil
}

// Icons are images to choose from.
type Icons []Icon

// UnmarshalJSONFrom leaves out what is no icon. It never fails on valid JSON.
func (i *Icons) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	*i = nil
	raw, err := dec.ReadValue()
	if err != nil || raw.Kind() != '[' {
		return err
	}
	for element := range elements(raw) {
		var icon Icon
		if element.Kind() == '{' && json.Unmarshal(element, &icon) == nil {
			*i = append(*i, icon)
		}
	}
	return nil
}
