package conformance

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcpera/mcpera/protocol"
)

// A Tool is a tool and the code behind it. A definition without an input
// schema takes any object.
type Tool struct {
	Definition protocol.Tool // as it is listed
	Run        Run           // not nil, unless nobody calls it

	Cache *CacheHint // nil for the server's default
	Scope string     // what a principal needs to call it; "" for nothing
	// NeedsTask refuses modern clients without the tasks extension (-32021).
	NeedsTask bool
}

// A Resource is a resource with a fixed URI.
type Resource struct {
	URI         string
	Name        string
	Title       string
	Description string
	MIMEType    string
	Read        Read

	Cache *CacheHint // nil for the server's default
	Scope string     // what a principal needs to read it; "" for nothing
}

// A ResourceTemplate is a family of resources. URITemplate is literal text
// with {variables}, each of which matches one or more characters but "/".
type ResourceTemplate struct {
	URITemplate string
	Name        string
	Title       string
	Description string
	MIMEType    string
	Read        Read

	Cache *CacheHint // nil for the server's default
	Scope string     // what a principal needs to read one; "" for nothing
}

// A Read is the code behind a resource; Call.Name is the URI. It returns
// ErrResourceNotFound when there is no such resource. Other errors that are
// not a *protocol.Error become -32603.
type Read func(ctx context.Context, c *Call) ([]protocol.ResourceContents, error)

// A Prompt is a prompt and the code behind it. The arguments that Get sees are
// an object of strings.
type Prompt struct {
	Name        string
	Title       string
	Description string
	Arguments   []PromptArgument
	Get         func(ctx context.Context, c *Call) ([]PromptMessage, error)

	Cache *CacheHint // nil for the server's default
	Scope string     // what a principal needs to get it; "" for nothing
}

// A PromptArgument is one argument of a prompt. A request without a required
// one is refused with -32602.
type PromptArgument struct {
	Name        string   `json:"name"`
	Description string   `json:"description,omitempty"`
	Required    bool     `json:"required,omitzero"`
	Completions []string `json:"-"` // what completion/complete suggests, by prefix
}

// A PromptMessage is one message of a prompt.
type PromptMessage struct {
	Role    string // "user" or "assistant"
	Content protocol.Content
}

// MarshalJSON writes the content as one block.
func (m PromptMessage) MarshalJSON() ([]byte, error) {
	return encode(struct {
		Role    string         `json:"role"`
		Content jsontext.Value `json:"content"`
	}{m.Role, oneBlock(m.Content)})
}

// resourceWire is a resource in a list; templates have a template instead of
// a URI.
type resourceWire struct {
	URI         string `json:"uri,omitempty"`
	URITemplate string `json:"uriTemplate,omitempty"`
	Name        string `json:"name"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	MIMEType    string `json:"mimeType,omitempty"`
}

type promptWire struct {
	Name        string           `json:"name"`
	Title       string           `json:"title,omitempty"`
	Description string           `json:"description,omitempty"`
	Arguments   []PromptArgument `json:"arguments,omitempty"`
}

func (t Tool) wire() any {
	if t.Definition.InputSchema == nil {
		t.Definition.InputSchema = anyObject
	}
	return t.Definition
}
func (r Resource) wire() any {
	return resourceWire{URI: r.URI, Name: r.Name, Title: r.Title, Description: r.Description, MIMEType: r.MIMEType}
}
func (r ResourceTemplate) wire() any {
	return resourceWire{URITemplate: r.URITemplate, Name: r.Name, Title: r.Title, Description: r.Description, MIMEType: r.MIMEType}
}
func (p Prompt) wire() any {
	return promptWire{p.Name, p.Title, p.Description, p.Arguments}
}

func (t Tool) key() string             { return t.Definition.Name }
func (r Resource) key() string         { return r.URI }
func (r ResourceTemplate) key() string { return r.URITemplate }
func (p Prompt) key() string           { return p.Name }

func (t Tool) hinted() hinted             { return hinted{t.Cache, t.Scope} }
func (r Resource) hinted() hinted         { return hinted{r.Cache, r.Scope} }
func (r ResourceTemplate) hinted() hinted { return hinted{r.Cache, r.Scope} }
func (p Prompt) hinted() hinted           { return hinted{p.Cache, p.Scope} }
