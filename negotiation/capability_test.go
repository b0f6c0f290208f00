package negotiation_test

import (
	"context"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/mcpera/mcpera/handler"
	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/protocol"
)

// One type for each interface that a handler may implement; the tests put
// them together.
type (
	sampler   struct{}
	form      struct{}
	url       struct{}
	roots     struct{}
	bystander struct{}
)

func (sampler) CreateMessage(context.Context, *protocol.CreateMessageRequest) (*protocol.CreateMessageResult, error) {
	return nil, nil
}
func (form) Elicit(context.Context, *protocol.ElicitRequest) (*protocol.ElicitResult, error) {
	return nil, nil
}
func (url) ElicitURL(context.Context, *protocol.ElicitRequest) (*protocol.ElicitResult, error) {
	return nil, nil
}
func (roots) ListRoots(context.Context) ([]protocol.Root, error) { return nil, nil }

// Near misses: a method of the right name and another shape serves nothing.
func (bystander) CreateMessage(string) {}
func (bystander) Elicit()              {}
func (bystander) ListRoots() error     { return nil }

var (
	_ handler.Sampler     = sampler{}
	_ handler.Elicitor    = form{}
	_ handler.URLElicitor = url{}
	_ handler.RootsLister = roots{}
)

type everything struct {
	sampler
	form
	url
	roots
}

// M-META-03, B-ROT-01, B-SAM-01, B-ELI-01, L-ROT-05, B101: what a handler
// implements is what is declared, and nothing else.
func TestClientCapabilities(t *testing.T) {
	all := negotiation.CapabilityOptions{SamplingTools: true, SamplingContext: true, RootsListChanged: true}
	type bothModes struct {
		form
		url
	}
	for name, tc := range map[string]struct {
		h              any
		opts           negotiation.CapabilityOptions
		modern, legacy string
	}{
		"no handler declares nothing":                    {nil, negotiation.CapabilityOptions{}, `{}`, `{}`},
		"no handler declares nothing with every option":  {nil, all, `{}`, `{}`},
		"a handler that serves nothing declares nothing": {bystander{}, all, `{}`, `{}`},
		"a sampler declares sampling": {
			sampler{}, negotiation.CapabilityOptions{}, `{"sampling":{}}`, `{"sampling":{}}`},
		"a pointer is a handler too": {
			&sampler{}, negotiation.CapabilityOptions{}, `{"sampling":{}}`, `{"sampling":{}}`},
		"sampling.tools is declared when asked for": {
			sampler{}, negotiation.CapabilityOptions{SamplingTools: true},
			`{"sampling":{"tools":{}}}`, `{"sampling":{"tools":{}}}`},
		"sampling.context is declared when asked for": {
			sampler{}, negotiation.CapabilityOptions{SamplingContext: true},
			`{"sampling":{"context":{}}}`, `{"sampling":{"context":{}}}`},
		"options of roots do not touch a sampler": {
			sampler{}, all, `{"sampling":{"tools":{},"context":{}}}`, `{"sampling":{"tools":{},"context":{}}}`},
		"form elicitation names no mode, for servers older than the modes": {
			form{}, all, `{"elicitation":{}}`, `{"elicitation":{}}`},
		"URL elicitation alone names its mode": {
			url{}, all, `{"elicitation":{"url":{}}}`, `{"elicitation":{"url":{}}}`},
		"both modes are named": {
			bothModes{}, all, `{"elicitation":{"form":{},"url":{}}}`, `{"elicitation":{"form":{},"url":{}}}`},
		"a lister declares roots": {
			roots{}, negotiation.CapabilityOptions{}, `{"roots":{}}`, `{"roots":{}}`},
		"roots.listChanged exists in the legacy era only": {
			roots{}, negotiation.CapabilityOptions{RootsListChanged: true},
			`{"roots":{}}`, `{"roots":{"listChanged":true}}`},
		"options of sampling do not touch roots": {
			roots{}, negotiation.CapabilityOptions{SamplingTools: true, SamplingContext: true},
			`{"roots":{}}`, `{"roots":{}}`},
		"a handler of everything declares everything": {
			everything{}, negotiation.CapabilityOptions{},
			`{"sampling":{},"elicitation":{"form":{},"url":{}},"roots":{}}`,
			`{"sampling":{},"elicitation":{"form":{},"url":{}},"roots":{}}`},
		"a handler of everything with every option": {
			everything{}, all,
			`{"sampling":{"tools":{},"context":{}},"elicitation":{"form":{},"url":{}},"roots":{}}`,
			`{"sampling":{"tools":{},"context":{}},"elicitation":{"form":{},"url":{}},"roots":{"listChanged":true}}`},
	} {
		t.Run(name, func(t *testing.T) {
			for era, want := range map[negotiation.Era]string{
				negotiation.EraUnknown: tc.modern,
				negotiation.EraModern:  tc.modern,
				negotiation.EraLegacy:  tc.legacy,
			} {
				tc.opts.Era = era
				got, err := json.Marshal(negotiation.ClientCapabilities(tc.h, tc.opts))
				if err != nil || string(got) != want {
					t.Errorf("%v era: %s, %v; want %s", era, got, err, want)
				}
			}
		})
	}
}
