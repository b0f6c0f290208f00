package protocol

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Content is one block of a tool result, a prompt message or a sampling
// message: *TextContent, *ImageContent, *AudioContent, *ResourceLink,
// *EmbeddedResource, *ToolUseContent, *ToolResultContent, or *UnknownContent
// for everything else.
//
// Source: MCP 2026-07-28, schema, "ContentBlock".
type Content interface {
	// ContentType returns the type member: "text", "image" and so on.
	ContentType() string
}

// TextContent is text.
type TextContent struct {
	Text        string         `json:"text"`
	Annotations *Annotations   `json:"annotations,omitzero"`
	Meta        Meta           `json:"_meta,omitzero"`
	Extra       jsontext.Value `json:",embed"`
}

// ImageContent is an image; on the wire Data is Base64.
type ImageContent struct {
	Data        []byte         `json:"data"`
	MIMEType    string         `json:"mimeType"`
	Annotations *Annotations   `json:"annotations,omitzero"`
	Meta        Meta           `json:"_meta,omitzero"`
	Extra       jsontext.Value `json:",embed"`
}

// AudioContent is a sound; on the wire Data is Base64.
type AudioContent struct {
	Data        []byte         `json:"data"`
	MIMEType    string         `json:"mimeType"`
	Annotations *Annotations   `json:"annotations,omitzero"`
	Meta        Meta           `json:"_meta,omitzero"`
	Extra       jsontext.Value `json:",embed"`
}

// ResourceLink points to a resource that the server can read.
type ResourceLink struct {
	URI         string         `json:"uri"`
	Name        string         `json:"name"`
	Title       string         `json:"title,omitempty"`
	Description string         `json:"description,omitempty"`
	MIMEType    string         `json:"mimeType,omitempty"`
	Size        int64          `json:"size,omitzero"` // bytes before encoding, 0 when not said
	Icons       Icons          `json:"icons,omitempty"`
	Annotations *Annotations   `json:"annotations,omitzero"`
	Meta        Meta           `json:"_meta,omitzero"`
	Extra       jsontext.Value `json:",embed"`
}

// EmbeddedResource carries a resource's contents inside a result.
type EmbeddedResource struct {
	Resource    ResourceContents `json:"resource"`
	Annotations *Annotations     `json:"annotations,omitzero"`
	Meta        Meta             `json:"_meta,omitzero"`
	Extra       jsontext.Value   `json:",embed"`
}

// ResourceContents is what a resource holds: Text, or Blob when it is binary.
type ResourceContents struct {
	URI      string         `json:"uri"`
	MIMEType string         `json:"mimeType,omitempty"`
	Text     string         `json:"text,omitzero"`
	Blob     []byte         `json:"blob,omitzero"`
	Meta     Meta           `json:"_meta,omitzero"`
	Extra    jsontext.Value `json:",embed"`
}

// ToolUseContent is a model's wish to use a tool, in sampling.
type ToolUseContent struct {
	ID    string         `json:"id"`
	Name  string         `json:"name"`
	Input jsontext.Value `json:"input"`
	Meta  Meta           `json:"_meta,omitzero"`
	Extra jsontext.Value `json:",embed"`
}

// ToolResultContent answers a ToolUseContent, in sampling.
type ToolResultContent struct {
	ToolUseID         string         `json:"toolUseId"`
	Content           Contents       `json:"content"`
	StructuredContent jsontext.Value `json:"structuredContent,omitzero"`
	IsError           bool           `json:"isError,omitzero"`
	Meta              Meta           `json:"_meta,omitzero"`
	Extra             jsontext.Value `json:",embed"`
}

// UnknownContent is a block whose type this package does not know, or whose
// members do not fit its type. Raw is the whole block.
type UnknownContent struct {
	Type string
	Raw  jsontext.Value
}

func (*TextContent) ContentType() string       { return "text" }
func (*ImageContent) ContentType() string      { return "image" }
func (*AudioContent) ContentType() string      { return "audio" }
func (*ResourceLink) ContentType() string      { return "resource_link" }
func (*EmbeddedResource) ContentType() string  { return "resource" }
func (*ToolUseContent) ContentType() string    { return "tool_use" }
func (*ToolResultContent) ContentType() string { return "tool_result" }
func (c *UnknownContent) ContentType() string  { return c.Type }

// Annotations are hints about a block or resource, from the server.
type Annotations struct {
	Audience     []string       `json:"audience,omitempty"` // "user", "assistant"
	Priority     *float64       `json:"priority,omitzero"`  // 0 to 1
	LastModified string         `json:"lastModified,omitempty"`
	Extra        jsontext.Value `json:",embed"`
}

// Contents is a list of blocks. A single block where a list is due reads as a
// list of one, null as an empty list; a null element is dropped.
type Contents []Content

// Text returns the text of all text blocks, joined by newlines.
func (c Contents) Text() string {
	var texts []string
	for _, block := range c {
		if t, ok := block.(*TextContent); ok {
			texts = append(texts, t.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// UnmarshalJSONFrom reads a list of blocks, one block, or null.
func (c *Contents) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	*c = nil
	switch dec.PeekKind() {
	case 'n':
		return dec.SkipValue()
	case '{':
		block, err := readContent(dec)
		if err == nil {
			*c = Contents{block}
		}
		return err
	case '[':
	default:
		return fmt.Errorf("content is a %s, not a list of blocks", dec.PeekKind())
	}
	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	for dec.PeekKind() != ']' {
		if dec.PeekKind() == 'n' {
			if err := dec.SkipValue(); err != nil {
				return err
			}
			continue
		}
		block, err := readContent(dec)
		if err != nil {
			return err
		}
		*c = append(*c, block)
	}
	_, err := dec.ReadToken()
	return err
}
