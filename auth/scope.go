package auth

import (
	"slices"
	"strings"

	"github.com/mcpera/mcpera/transport/challenge"
)

const offlineAccess = "offline_access"

// wanted returns the scopes that challenges ask for, in order; nil when they name
// none.
func wanted(challenges []challenge.Challenge) []string {
	for _, c := range challenges {
		if scope := c.Get("scope"); scope != "" {
			return strings.Fields(scope)
		}
	}
	return nil
}

// selectScopes returns the scopes to ask for: what the challenge names, else what
// the program configured, else all that the resource supports; and what was asked
// for before. nil means that no scope is sent.
//
// Source: MCP 2026-07-28, authorization, "Scope Selection Strategy" and "Step-Up
// Authorization Flow".
func selectScopes(challenged, configured, supported, before []string) []string {
	chosen := challenged
	if len(chosen) == 0 {
		chosen = configured
	}
	if len(chosen) == 0 && len(before) == 0 {
		chosen = supported
	}
	return union(before, chosen)
}

// withOffline adds offline_access where the authorization server offers it, and
// takes it away where it does not. Alone it is not asked for.
//
// Source: MCP 2026-07-28, authorization, "Refresh Tokens".
func withOffline(scopes, offered []string) []string {
	scopes = slices.DeleteFunc(slices.Clone(scopes), func(s string) bool { return s == offlineAccess })
	if len(scopes) > 0 && slices.Contains(offered, offlineAccess) {
		scopes = append(scopes, offlineAccess)
	}
	return scopes
}

// union returns what is in a or b, each once and in order.
func union(a, b []string) []string {
	var all []string
	for _, s := range slices.Concat(a, b) {
		if !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}
