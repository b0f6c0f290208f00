package main

import (
	"context"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/protocol"
)

func newProbe() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "probe [URL] [flags] [-- COMMAND [ARG...]]",
		GroupID: groupTalk,
		Short:   "Find out which era a server speaks",
		Long: `Probe connects to a server and tells which era and version it speaks, what
decided that, what the server calls itself and what it offers.`,
		Example: `  mcpera probe https://api.example.com/mcp
  mcpera probe https://api.example.com/mcp --json | jq -r .era
  mcpera probe -v -- npx -y @modelcontextprotocol/server-everything`,
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	c := newConnection(cmd)
	c.runs(cmd, func(_ context.Context, conn *client.Client) (report, error) {
		return probeReport(conn), nil
	})
	return cmd
}

// A probeResult is the result of probe as JSON.
type probeResult struct {
	Verdict      string                      `json:"verdict"`
	Row          string                      `json:"row"` // "" when the era was pinned or remembered
	FromCache    bool                        `json:"fromCache"`
	RoundTrips   int                         `json:"roundTrips"`
	Capabilities protocol.ServerCapabilities `json:"capabilities"`
	Instructions string                      `json:"instructions,omitempty"`
}

func probeReport(c *client.Client) report {
	n := c.Negotiation()
	r := report{document: connected(c)}
	result := probeResult{n.Verdict, n.Row, n.FromCache, n.RoundTrips, c.Capabilities(), c.Instructions()}
	r.Result = result
	r.text = func(p *page) { writeProbe(p, r.document, result) }
	return r
}

func writeProbe(p *page, d document, result probeResult) {
	var t facts
	t.add("era", d.Era)
	t.add("version", d.Version)
	t.add("verdict", result.Verdict)
	t.add("decided by", orDash(result.Row))
	t.add("server", orDash(nameOf(*d.Server)))
	t.add("capabilities", orDash(strings.Join(capabilityNames(result.Capabilities), ", ")))
	t.add("round trips", strconv.Itoa(result.RoundTrips))
	t.add("from cache", map[bool]string{true: "yes", false: "no"}[result.FromCache])
	if line := firstLine(result.Instructions); line != "" {
		t.add("instructions", line)
	}
	t.write(p)
}

// nameOf is what a server calls itself.
func nameOf(info protocol.Implementation) string {
	return strings.TrimSpace(clean(info.Name) + " " + clean(info.Version))
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
