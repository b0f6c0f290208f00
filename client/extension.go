package client

import (
	"fmt"
	"maps"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcpera/mcpera/protocol"
)

// WithExtension declares an extension, off by default, with its settings, which
// encode as an object; nil stands for none. Its id is that of the extension's
// specification, such as "com.example/charts". Extensions exist in the modern
// era. What the server declares stands in Capabilities().Extensions.
//
// Source: MCP 2026-07-28, basic/versioning, "Extension Negotiation".
func WithExtension(id string, settings any) Option {
	return func(c *config) error {
		if err := protocol.CheckExtensionID(id); err != nil {
			return fmt.Errorf("client: %w", err)
		}
		encoded := jsontext.Value(`{}`)
		if settings != nil {
			var err error
			if encoded, err = json.Marshal(settings, json.Deterministic(true)); err != nil {
				return fmt.Errorf("client: encode the settings of extension %s: %w", id, err)
			}
			if encoded.Kind() != '{' {
				return fmt.Errorf("client: the settings of extension %s encode as a %s, not as an object", id, encoded.Kind())
			}
		}
		c.extensions = maps.Clone(c.extensions)
		if c.extensions == nil {
			c.extensions = make(map[string]jsontext.Value)
		}
		c.extensions[id] = encoded
		return nil
	}
}

// WithTasks declares the tasks extension: a server may then answer a tool call
// with a task, which CallTool waits for and StartTool hands out.
//
// Source: the tasks extension, "Capability Negotiation".
func WithTasks() Option { return WithExtension(protocol.ExtensionTasks, nil) }

// speaksTasks reports whether the client declared the tasks extension.
func (c *config) speaksTasks() bool {
	_, ok := c.extensions[protocol.ExtensionTasks]
	return ok
}
