package protocol

import (
	"errors"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// typeMember is the member that tells content blocks apart. It stands beside
// a block's fields only on the wire: in Go the type of the value says it.
type typeMember struct {
	Type string `json:"type"`
}

// readContent reads one block. It fails only on text that is not JSON: a
// block that can't be typed is kept as UnknownContent.
func readContent(dec *jsontext.Decoder) (Content, error) {
	raw, err := dec.ReadValue()
	if err != nil {
		return nil, err
	}
	if text, ok := plainText(raw); ok {
		return &TextContent{Text: text}, nil
	}
	typ := contentType(raw)
	if block, err := decodeContent(typ, raw); block != nil && err == nil {
		return block, nil
	}
	return &UnknownContent{Type: typ, Raw: raw.Clone()}, nil
}

// contentType returns the type of a block; "" when it has none that is a string.
func contentType(block jsontext.Value) string {
	for name, value := range members(block) {
		if string(name) == "type" && value.Kind() == '"' {
			return unquoted(value)
		}
	}
	return ""
}

// plainText returns the text of a block that is text and has nothing else, as
// most have. Long texts are copied once, and not parsed again.
func plainText(block jsontext.Value) (text string, ok bool) {
	var typ, quoted jsontext.Value
	for name, value := range members(block) {
		switch string(name) {
		case "type":
			typ = value
		case "text":
			quoted = value
		default:
			return "", false
		}
	}
	if string(typ) != `"text"` || quoted.Kind() != '"' {
		return "", false
	}
	return unquoted(quoted), true
}

// decodeContent reads a block of a known type; the block is nil for others.
func decodeContent(typ string, raw jsontext.Value) (Content, error) {
	switch typ {
	case "text":
		var wire struct {
			typeMember
			TextContent
		}
		err := json.Unmarshal(raw, &wire)
		return &wire.TextContent, err
	case "image":
		var wire struct {
			typeMember
			ImageContent
		}
		err := json.Unmarshal(raw, &wire)
		return &wire.ImageContent, err
	case "audio":
		var wire struct {
			typeMember
			AudioContent
		}
		err := json.Unmarshal(raw, &wire)
		return &wire.AudioContent, err
	case "resource_link":
		var wire struct {
			typeMember
			ResourceLink
		}
		err := json.Unmarshal(raw, &wire)
		return &wire.ResourceLink, err
	case "resource":
		var wire struct {
			typeMember
			EmbeddedResource
		}
		err := json.Unmarshal(raw, &wire)
		return &wire.EmbeddedResource, err
	case "tool_use":
		var wire struct {
			typeMember
			ToolUseContent
		}
		err := json.Unmarshal(raw, &wire)
		return &wire.ToolUseContent, err
	case "tool_result":
		var wire struct {
			typeMember
			ToolResultContent
		}
		err := json.Unmarshal(raw, &wire)
		return &wire.ToolResultContent, err
	default:
		return nil, nil
	}
}

var errNilBlock = errors.New("content block is nil")

// MarshalJSONTo writes the list; a nil list is [].
func (c Contents) MarshalJSONTo(enc *jsontext.Encoder) error {
	if err := enc.WriteToken(jsontext.BeginArray); err != nil {
		return err
	}
	for _, block := range c {
		if err := encodeContent(enc, block); err != nil {
			return err
		}
	}
	return enc.WriteToken(jsontext.EndArray)
}

func encodeContent(enc *jsontext.Encoder, block Content) error {
	if block == nil {
		return errNilBlock
	}
	head := typeMember{block.ContentType()}
	switch b := block.(type) {
	case *TextContent:
		return json.MarshalEncode(enc, struct {
			typeMember
			*TextContent
		}{head, b})
	case *ImageContent:
		return json.MarshalEncode(enc, struct {
			typeMember
			*ImageContent
		}{head, b})
	case *AudioContent:
		return json.MarshalEncode(enc, struct {
			typeMember
			*AudioContent
		}{head, b})
	case *ResourceLink:
		return json.MarshalEncode(enc, struct {
			typeMember
			*ResourceLink
		}{head, b})
	case *EmbeddedResource:
		return json.MarshalEncode(enc, struct {
			typeMember
			*EmbeddedResource
		}{head, b})
	case *ToolUseContent:
		return json.MarshalEncode(enc, struct {
			typeMember
			*ToolUseContent
		}{head, b})
	case *ToolResultContent:
		return json.MarshalEncode(enc, struct {
			typeMember
			*ToolResultContent
		}{head, b})
	case *UnknownContent:
		return enc.WriteValue(b.Raw)
	default:
		return json.MarshalEncode(enc, block)
	}
}
