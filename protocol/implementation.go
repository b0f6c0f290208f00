package protocol

import "github.com/go-json-experiment/json/jsontext"

// An Implementation names a client's or a server's software. What a server
// says of itself is for display and logs only.
//
// Source: MCP 2026-07-28, schema, "Implementation".
type Implementation struct {
	Name        string         `json:"name"`
	Version     string         `json:"version"`
	Title       string         `json:"title,omitempty"`
	Description string         `json:"description,omitempty"`
	WebsiteURL  string         `json:"websiteUrl,omitempty"`
	Icons       Icons          `json:"icons,omitempty"`
	Extra       jsontext.Value `json:",embed"`
}

// An Icon points to an image. Src comes from the server: fetch it only over
// https: or read it from a data: URI, without credentials.
//
// Source: MCP 2026-07-28, basic, "icons".
type Icon struct {
	Src      string         `json:"src"`
	MIMEType string         `json:"mimeType,omitempty"`
	Sizes    []string       `json:"sizes,omitempty"` // "48x48" and the like, or "any"
	Theme    string         `json:"theme,omitempty"` // "light" or "dark"
	Extra    jsontext.Value `json:",embed"`
}
