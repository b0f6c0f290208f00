package main

import (
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcpera/mcpera/protocol"
)

// capabilityNames lists what a server declared, each with its settings.
func capabilityNames(c protocol.ServerCapabilities) []string {
	var names []string
	add := func(name string, settings ...string) {
		if settings = slices.DeleteFunc(settings, func(s string) bool { return s == "" }); len(settings) > 0 {
			name += " (" + strings.Join(settings, ", ") + ")"
		}
		names = append(names, name)
	}
	if c.Tools != nil {
		add("tools", when(c.Tools.ListChanged, "list changes"))
	}
	if c.Resources != nil {
		add("resources", when(c.Resources.ListChanged, "list changes"), when(c.Resources.Subscribe, "subscriptions"))
	}
	if c.Prompts != nil {
		add("prompts", when(c.Prompts.ListChanged, "list changes"))
	}
	if c.Completions != nil {
		add("completions")
	}
	if c.Logging != nil {
		add("logging")
	}
	for _, more := range []map[string]jsontext.Value{c.Extensions, c.Experimental} {
		for _, name := range slices.Sorted(maps.Keys(more)) {
			add(clean(name))
		}
	}
	return names
}

func when(ok bool, s string) string {
	if ok {
		return s
	}
	return ""
}
