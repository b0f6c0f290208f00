package conformance

import (
	"context"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcpera/mcpera/protocol"
)

func (s *Server) serverInfo() protocol.Implementation {
	return protocol.Implementation{Name: s.cfg.name, Version: s.cfg.version}
}

// capabilities are what the server declares in an era. A legacy client can
// hear of changes only within a session.
func (s *Server) capabilities(era Era, changes bool) protocol.ServerCapabilities {
	caps := protocol.ServerCapabilities{
		Tools:       &protocol.ListCapability{ListChanged: changes},
		Prompts:     &protocol.ListCapability{ListChanged: changes},
		Resources:   &protocol.ResourcesCapability{ListChanged: changes, Subscribe: changes},
		Logging:     &protocol.Declared{},
		Completions: &protocol.Declared{},
	}
	if era == Modern && s.cfg.tasks {
		caps.Extensions = map[string]jsontext.Value{tasksExtension: jsontext.Value("{}")}
	}
	return caps
}

func (s *Server) discover(context.Context, *Call) (reply, error) {
	o := object{}
	o.set("supportedVersions", s.cfg.versions)
	o.set("capabilities", s.capabilities(Modern, true))
	if s.cfg.instructions != "" {
		o.set("instructions", s.cfg.instructions)
	}
	hint := itemHint(hinted{}, s.cfg.cache)
	return reply{o, &hint}, nil
}

// initialize negotiates a legacy version. The transport makes the session.
func (s *Server) initialize(_ context.Context, c *Call) (reply, error) {
	var p protocol.InitializeParams
	if e := bind(c.params, &p); e != nil {
		return reply{}, e
	}
	if p.ProtocolVersion == "" {
		return reply{}, invalidParams("protocolVersion is missing")
	}
	version := s.legacyVersion(p.ProtocolVersion)
	if c.session != nil {
		c.session.open(version, p)
	}
	o := object{}
	o.set("protocolVersion", version)
	o.set("capabilities", s.capabilities(Legacy, c.session != nil))
	o.set("serverInfo", s.serverInfo())
	if s.cfg.instructions != "" {
		o.set("instructions", s.cfg.instructions)
	}
	return reply{body: o}, nil
}

func (s *Server) ping(context.Context, *Call) (reply, error) { return reply{body: object{}}, nil }

func (s *Server) setLevel(_ context.Context, c *Call) (reply, error) {
	var p struct {
		Level string `json:"level"`
	}
	if e := bind(c.params, &p); e != nil {
		return reply{}, e
	}
	if !slices.Contains(logLevels, p.Level) {
		return reply{}, invalidParams("level is not a logging level")
	}
	if c.session != nil {
		c.session.setLevel(p.Level)
	}
	return reply{body: object{}}, nil
}

func (s *Server) subscribe(_ context.Context, c *Call) (reply, error) {
	return s.setSubscription(c, true)
}

func (s *Server) unsubscribe(_ context.Context, c *Call) (reply, error) {
	return s.setSubscription(c, false)
}

func (s *Server) setSubscription(c *Call, on bool) (reply, error) {
	var p struct {
		URI string `json:"uri"`
	}
	if e := bind(c.params, &p); e != nil {
		return reply{}, e
	}
	c.Name = p.URI
	if !s.hasResource(p.URI) {
		return reply{}, ErrResourceNotFound
	}
	if c.session == nil {
		return reply{}, invalidRequest("subscriptions need a session")
	}
	c.session.watch(p.URI, on)
	return reply{body: object{}}, nil
}
