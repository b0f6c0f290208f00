package protocol

import "github.com/go-json-experiment/json/jsontext"

// ClientCapabilities is what a client can do for a server. The zero value
// declares nothing and encodes as {}.
//
// Source: MCP 2026-07-28, schema, "ClientCapabilities".
type ClientCapabilities struct {
	Sampling     *SamplingCapability       `json:"sampling,omitzero"`
	Elicitation  *ElicitationCapability    `json:"elicitation,omitzero"`
	Roots        *RootsCapability          `json:"roots,omitzero"`
	Experimental map[string]jsontext.Value `json:"experimental,omitzero"`
	Extensions   map[string]jsontext.Value `json:"extensions,omitzero"`
}

// Declared is a capability without settings: present or not.
type Declared struct {
	Extra jsontext.Value `json:",embed"`
}

// SamplingCapability declares sampling, and what a request may use.
type SamplingCapability struct {
	Tools   *Declared `json:"tools,omitzero"`   // tools and toolChoice
	Context *Declared `json:"context,omitzero"` // includeContext other than "none"
}

// ElicitationCapability declares elicitation. Both modes nil means form mode.
type ElicitationCapability struct {
	Form *Declared `json:"form,omitzero"`
	URL  *Declared `json:"url,omitzero"`
}

// RootsCapability declares roots. ListChanged exists in the legacy era only.
type RootsCapability struct {
	ListChanged bool `json:"listChanged,omitzero"`
}

// ServerCapabilities is what a server offers. A nil field was not declared.
//
// Source: MCP 2026-07-28, schema, "ServerCapabilities".
type ServerCapabilities struct {
	Tools        *ListCapability           `json:"tools,omitzero"`
	Prompts      *ListCapability           `json:"prompts,omitzero"`
	Resources    *ResourcesCapability      `json:"resources,omitzero"`
	Logging      *Declared                 `json:"logging,omitzero"`
	Completions  *Declared                 `json:"completions,omitzero"`
	Experimental map[string]jsontext.Value `json:"experimental,omitzero"`
	Extensions   map[string]jsontext.Value `json:"extensions,omitzero"`
	Extra        jsontext.Value            `json:",embed"`
}

// ListCapability declares tools or prompts.
type ListCapability struct {
	ListChanged bool           `json:"listChanged,omitzero"`
	Extra       jsontext.Value `json:",embed"`
}

// ResourcesCapability declares resources.
type ResourcesCapability struct {
	ListChanged bool           `json:"listChanged,omitzero"`
	Subscribe   bool           `json:"subscribe,omitzero"`
	Extra       jsontext.Value `json:",embed"`
}
