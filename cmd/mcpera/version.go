package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/negotiation"
)

// A versionResult is the result of version as JSON.
type versionResult struct {
	Version          string   `json:"version"`
	Revision         string   `json:"revision,omitempty"`
	Go               string   `json:"go"`
	Platform         string   `json:"platform"`
	ProtocolVersions []string `json:"protocolVersions"`
}

func newVersion() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version, and the protocol versions it speaks",
		Args: func(_ *cobra.Command, args []string) error {
			return noArguments("version", args)
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	var o output
	o.register(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		v := versionResult{
			Version: client.Version, Revision: revision(),
			Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
			ProtocolVersions: negotiation.Versions(),
		}
		return o.print(cmd, report{document: document{Result: v}, text: func(p *page) {
			fmt.Fprintf(p, "mcpera %s (%s)\n", v.Version, strings.Join(v.build(), ", "))
			fmt.Fprintf(p, "speaks MCP %s\n", strings.Join(v.ProtocolVersions, ", "))
		}})
	}
	return cmd
}

func (v versionResult) build() []string {
	if v.Revision == "" {
		return []string{v.Go, v.Platform}
	}
	return []string{v.Revision, v.Go, v.Platform}
}

// revision is the commit that the program was built from, "" when the build
// did not record it.
func revision() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return s.Value[:min(12, len(s.Value))]
		}
	}
	return ""
}

func noArguments(command string, args []string) error {
	if len(args) > 0 {
		return usagef("%s takes no arguments", command)
	}
	return nil
}
