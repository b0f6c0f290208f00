package negotiation

import (
	"github.com/mcpera/mcpera/handler"
	"github.com/mcpera/mcpera/protocol"
)

// CapabilityOptions refine what ClientCapabilities declares. The zero value is
// the modern era with no extras.
type CapabilityOptions struct {
	// Era is the era to declare for; anything but EraLegacy is modern.
	Era Era
	// SamplingTools also declares sampling.tools: requests may carry tools.
	SamplingTools bool
	// SamplingContext also declares sampling.context: requests may set
	// includeContext to other values than "none".
	SamplingContext bool
	// RootsListChanged declares roots.listChanged in the legacy era, a promise
	// to send notifications/roots/list_changed. The modern era has no such
	// notification.
	RootsListChanged bool
}

// ClientCapabilities returns the capabilities to advertise for h. Only the
// interfaces of package handler that h implements contribute, so nil declares
// nothing, and an option for a feature that h does not serve has no effect.
//
// Source: MCP 2026-07-28, basic, "_meta", and client/* "Capabilities".
func ClientCapabilities(h any, opts CapabilityOptions) protocol.ClientCapabilities {
	var caps protocol.ClientCapabilities
	if _, ok := h.(handler.Sampler); ok {
		caps.Sampling = &protocol.SamplingCapability{}
		if opts.SamplingTools {
			caps.Sampling.Tools = &protocol.Declared{}
		}
		if opts.SamplingContext {
			caps.Sampling.Context = &protocol.Declared{}
		}
	}
	caps.Elicitation = elicitationCapability(h)
	if _, ok := h.(handler.RootsLister); ok {
		caps.Roots = &protocol.RootsCapability{
			ListChanged: opts.RootsListChanged && opts.Era == EraLegacy,
		}
	}
	return caps
}

// elicitationCapability names no mode for form alone: an empty object means
// form, also to servers that are older than the modes.
func elicitationCapability(h any) *protocol.ElicitationCapability {
	_, form := h.(handler.Elicitor)
	_, url := h.(handler.URLElicitor)
	switch {
	case form && url:
		return &protocol.ElicitationCapability{Form: &protocol.Declared{}, URL: &protocol.Declared{}}
	case form:
		return &protocol.ElicitationCapability{}
	case url:
		return &protocol.ElicitationCapability{URL: &protocol.Declared{}}
	default:
		return nil
	}
}
