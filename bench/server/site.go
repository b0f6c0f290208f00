package server

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Versions of the protocol that the sites speak.
const (
	Modern = "2026-07-28"
	Legacy = "2025-11-25"
)

// Names of the tools that a client can call.
const (
	Echo     = "echo"      // a short answer
	EchoSSE  = "echo_sse"  // the same as an event stream, over HTTP
	Text     = "text_"     // text_1024 answers with 1,024 bytes of text
	Progress = "progress_" // progress_1000 reports progress 1,000 times first
)

// EchoText is what Echo answers.
const EchoText = "The quick brown fox jumps over the lazy dog."

// A Site is one server as a client sees it: an era, and a number of tools.
type Site struct {
	Modern   bool
	Discover []byte // results, encoded
	Init     []byte
	List     []byte
	texts    map[string][]byte // results of tools, by name
}

// NewSite encodes what a site will say. Texts of the given sizes can be asked for.
func NewSite(modern bool, tools int, sizes ...int) *Site {
	s := &Site{Modern: modern, texts: make(map[string][]byte)}
	const offers = `"capabilities":{"tools":{}},"serverInfo":{"name":"bench","version":"1"}`
	s.Discover = []byte(`{"resultType":"complete","supportedVersions":["` + Modern + `"],"ttlMs":3600000,"cacheScope":"public",` +
		`"capabilities":{"tools":{}},"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"bench","version":"1"}}}`)
	s.Init = []byte(`{"protocolVersion":"` + Legacy + `",` + offers + `}`)
	s.List = s.list(tools)
	s.texts[Echo] = s.text(EchoText)
	for _, size := range sizes {
		s.texts[fmt.Sprint(Text, size)] = s.text(Lines(size))
	}
	return s
}

// result begins a result: only the modern era gives its type.
func (s *Site) result() string {
	if s.Modern {
		return `{"resultType":"complete",`
	}
	return `{`
}

func (s *Site) text(text string) []byte {
	quoted, err := json.Marshal(text)
	if err != nil {
		panic(err) // a string always encodes
	}
	return []byte(s.result() + `"content":[{"type":"text","text":` + string(quoted) + `}],"isError":false}`)
}

// Lines returns text as files have it: size bytes in lines of 80, with an escape
// in each beside the line end.
func Lines(size int) string {
	const line = "\tvalue := lookup(\"name\") // the grey cat sat on the mat, and the dog on the log\n"
	return strings.Repeat(line, size/len(line)+1)[:size]
}

// tool is about 750 bytes, as real tools have: a description and a schema of
// some properties.
const tool = `{"name":"tool_%04d","title":"Search number %d","description":"Searches the documents of a project for a phrase ` +
	`and returns the best matches, each with its title, its address and the passage that was found.",` +
	`"inputSchema":{"type":"object","properties":{` +
	`"query":{"type":"string","description":"What to search for.","minLength":1,"maxLength":500},` +
	`"project":{"type":"string","description":"The project's name."},` +
	`"limit":{"type":"integer","minimum":1,"maximum":100,"default":10},` +
	`"order":{"type":"string","enum":["relevance","newest","oldest"]},` +
	`"tags":{"type":"array","items":{"type":"string"},"maxItems":10}},` +
	`"required":["query"],"additionalProperties":false},"annotations":{"readOnlyHint":true,"openWorldHint":false}}`

func (s *Site) list(tools int) []byte {
	b := []byte(s.result())
	if s.Modern {
		b = append(b, `"ttlMs":0,"cacheScope":"private",`...)
	}
	b = append(b, `"tools":[`...)
	for i := range tools {
		if i > 0 {
			b = append(b, ',')
		}
		b = fmt.Appendf(b, tool, i, i)
	}
	return append(b, "]}"...)
}
