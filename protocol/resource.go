package protocol

import "github.com/go-json-experiment/json/jsontext"

// Methods of the resources feature.
const (
	MethodListResources         = "resources/list"
	MethodListResourceTemplates = "resources/templates/list"
	MethodReadResource          = "resources/read"
	MethodSubscribe             = "resources/subscribe"   // legacy
	MethodUnsubscribe           = "resources/unsubscribe" // legacy
)

// A Resource is something that a server can read.
//
// Source: MCP 2026-07-28, server/resources, "Resource".
type Resource struct {
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

// A ResourceTemplate stands for many resources: URITemplate is an RFC 6570
// template of their URIs.
//
// Source: MCP 2026-07-28, server/resources, "Resource Templates".
type ResourceTemplate struct {
	URITemplate string         `json:"uriTemplate"`
	Name        string         `json:"name"`
	Title       string         `json:"title,omitempty"`
	Description string         `json:"description,omitempty"`
	MIMEType    string         `json:"mimeType,omitempty"`
	Icons       Icons          `json:"icons,omitempty"`
	Annotations *Annotations   `json:"annotations,omitzero"`
	Meta        Meta           `json:"_meta,omitzero"`
	Extra       jsontext.Value `json:",embed"`
}

// ListResourcesResult is one page of a server's resources.
type ListResourcesResult struct {
	Resources  List[Resource] `json:"resources"`
	NextCursor *string        `json:"nextCursor,omitzero"` // nil: there is no next page
	TTL        TTL            `json:"ttlMs,omitzero"`
	CacheScope CacheScope     `json:"cacheScope,omitempty"`
	Meta       Meta           `json:"_meta,omitzero"`
	Extra      jsontext.Value `json:",embed"`
}

// ListResourceTemplatesResult is one page of a server's resource templates.
type ListResourceTemplatesResult struct {
	ResourceTemplates List[ResourceTemplate] `json:"resourceTemplates"`
	NextCursor        *string                `json:"nextCursor,omitzero"` // nil: there is no next page
	TTL               TTL                    `json:"ttlMs,omitzero"`
	CacheScope        CacheScope             `json:"cacheScope,omitempty"`
	Meta              Meta                   `json:"_meta,omitzero"`
	Extra             jsontext.Value         `json:",embed"`
}

// ResourceParams names a resource.
type ResourceParams struct {
	URI string `json:"uri"`
}

// A ReadResourceResult is what a resource holds: one part or several.
type ReadResourceResult struct {
	Contents   List[ResourceContents] `json:"contents"`
	TTL        TTL                    `json:"ttlMs,omitzero"`
	CacheScope CacheScope             `json:"cacheScope,omitempty"`
	Meta       Meta                   `json:"_meta,omitzero"`
	Extra      jsontext.Value         `json:",embed"`
}
