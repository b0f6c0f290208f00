package conformance

import (
	"context"
	"strings"

	"github.com/mcpera/mcpera/protocol"
)

func (s *Server) listResources(_ context.Context, c *Call) (reply, error) {
	return listPage(s, c, &s.resources, "resources")
}

func (s *Server) listTemplates(_ context.Context, c *Call) (reply, error) {
	return listPage(s, c, &s.templates, "resourceTemplates")
}

func (s *Server) readResource(ctx context.Context, c *Call) (reply, error) {
	found, ok := s.findResource(c.Name)
	if !ok {
		return reply{}, ErrResourceNotFound
	}
	if !c.Principal.has(found.scope) {
		return reply{}, &scopeError{found.scope}
	}
	c.Variables = found.variables
	contents, err := found.read(ctx, c)
	if err != nil {
		return reply{}, err
	}
	list := make([]object, len(contents))
	for i, part := range contents {
		if list[i], err = contentsWire(part); err != nil {
			return reply{}, internalError("the resource does not encode")
		}
	}
	o := object{}
	o.set("contents", list)
	hint := itemHint(found.hinted, s.cfg.cache)
	return reply{o, &hint}, nil
}

// contentsWire encodes contents. A resource that holds nothing is an empty
// text, since one of text and blob must be there.
func contentsWire(r protocol.ResourceContents) (object, error) {
	data, err := encode(r)
	if err != nil {
		return nil, err
	}
	o, err := parseObject(data)
	if err == nil && o.get("text") == nil && o.get("blob") == nil {
		o.set("text", "")
	}
	return o, err
}

// foundResource is what serves a URI.
type foundResource struct {
	hinted
	read      Read
	variables map[string]string
}

// findResource looks for a resource with exactly this URI, then for the first
// template that matches.
func (s *Server) findResource(uri string) (foundResource, bool) {
	if r, ok := s.resources.get(uri); ok {
		return foundResource{r.hinted(), r.Read, nil}, true
	}
	for _, t := range s.templates.all() {
		if variables, ok := matchTemplate(t.URITemplate, uri); ok {
			return foundResource{t.hinted(), t.Read, variables}, true
		}
	}
	return foundResource{}, false
}

func (s *Server) hasResource(uri string) bool {
	_, ok := s.findResource(uri)
	return ok
}

// matchTemplate matches a URI against literal text with {variables}. A
// variable takes everything up to the next literal character or "/".
func matchTemplate(template, uri string) (map[string]string, bool) {
	variables := map[string]string{}
	for {
		literal, rest, more := strings.Cut(template, "{")
		if !strings.HasPrefix(uri, literal) {
			return nil, false
		}
		uri = uri[len(literal):]
		if !more && uri != "" {
			return nil, false
		}
		if !more {
			return variables, true
		}
		name, after, closed := strings.Cut(rest, "}")
		if !closed {
			return nil, false
		}
		end := len(uri)
		if i := strings.IndexByte(uri, '/'); i >= 0 {
			end = i
		}
		if after != "" {
			if i := strings.IndexByte(uri, after[0]); i >= 0 {
				end = min(end, i)
			}
		}
		if end == 0 {
			return nil, false
		}
		variables[name] = uri[:end]
		uri, template = uri[end:], after
	}
}

// TextResource is a Read that returns a fixed text.
func TextResource(mimeType, text string) Read {
	return func(_ context.Context, c *Call) ([]protocol.ResourceContents, error) {
		return []protocol.ResourceContents{{URI: c.Name, MIMEType: mimeType, Text: text}}, nil
	}
}
