package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// What pages and help texts tell people to type exists: commands, and their
// flags.
func TestCommandsOnPagesExist(t *testing.T) {
	root, seen := newRoot(), 0
	for where, text := range pagesAndHelp(t, root) {
		for _, line := range commandLines(text) {
			seen++
			words := strings.Fields(line)
			cmd, _, err := root.Find(words[:1])
			if err != nil || cmd == root {
				t.Errorf("%s: there is no command %q in %q", where, words[0], line)
				continue
			}
			for _, word := range words[1:] {
				if name := flagName(word); name != "" && !hasFlag(cmd, name) {
					t.Errorf("%s: %s has no flag %s: %q", where, cmd.CommandPath(), word, line)
				}
			}
		}
	}
	if seen < 20 {
		t.Errorf("only %d command lines were found: the patterns miss some", seen)
	}
}

// A flag that stands by itself in a text belongs to some command.
func TestFlagsOnPagesExist(t *testing.T) {
	root := newRoot()
	for where, text := range pagesAndHelp(t, root) {
		for _, flag := range regexp.MustCompile("`(--?[a-z][a-z-]*)[ =`]").FindAllStringSubmatch(text, -1) {
			known := false
			for _, cmd := range root.Commands() {
				known = known || hasFlag(cmd, flagName(flag[1]))
			}
			if !known {
				t.Errorf("%s: no command has a flag %s", where, flag[1])
			}
		}
	}
}

// pagesAndHelp returns the texts that people read, by where they stand.
func pagesAndHelp(t *testing.T, root *cobra.Command) map[string]string {
	t.Helper()
	const top = "../.."
	names, err := filepath.Glob(filepath.Join(top, "docs", "*.md"))
	if err != nil || len(names) == 0 {
		t.Fatalf("there are no pages: %v", err)
	}
	texts := make(map[string]string)
	for _, name := range append(names, filepath.Join(top, "README.md")) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		texts[filepath.Base(name)] = string(text)
	}
	for _, cmd := range append(root.Commands(), root) {
		texts[cmd.CommandPath()+" --help"] = cmd.Example
	}
	return texts
}

// commandLines returns what follows "mcpera" where a text shows it as something
// to type: in a block, or between backquotes.
func commandLines(text string) []string {
	typed := regexp.MustCompile("(?ms)^```.*?^```|`[^`\n]+`").FindAllString(text, -1)
	if typed == nil {
		typed = []string{text} // a help text has nothing else
	}
	var lines []string
	for _, code := range typed {
		for _, found := range regexp.MustCompile("(?m)^[ \t`]*(?:.*\\| )?(?:go run \\./cmd/)?mcpera +([a-z].*?)`?$").FindAllStringSubmatch(code, -1) {
			line, _, _ := strings.Cut(found[1]+" ", " #") // a comment
			line, _, _ = strings.Cut(line, " -- ")        // a server's own words
			line, _, _ = strings.Cut(line, " | ")         // another program's
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines
}

// flagName returns the name of a flag, without dashes and value; "" for other
// words.
func flagName(word string) string {
	name := regexp.MustCompile(`^--?([a-z][a-zA-Z-]*|[A-Z])(=.*)?$`).FindStringSubmatch(word)
	if name == nil {
		return ""
	}
	return name[1]
}

func hasFlag(cmd *cobra.Command, name string) bool {
	cmd.InitDefaultHelpFlag()
	if len(name) == 1 {
		return cmd.Flags().ShorthandLookup(name) != nil
	}
	return cmd.Flag(name) != nil
}
