package client

import (
	"errors"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// maxSchemaCost bounds how many subschemas may have to look at one path through
// a value, from its root to a leaf.
const maxSchemaCost = 100_000

// checkCost refuses a schema that, for a value that nests to depth, could keep a
// validator busy for ever or exhaust its stack: references that lead back to
// themselves without going deeper into the value, and branches that multiply.
//
// Source: MCP 2026-07-28, basic, "Composition-Keyword Resource Use".
func checkCost(root *jsonschema.Schema, depth int) error {
	c := costs{root: root, anchors: make(map[string]*jsonschema.Schema), known: make(map[costOf]int)}
	c.collect(root)
	_, err := c.of(root, depth+1)
	return err
}

// costs computes what schemas cost.
type costs struct {
	root    *jsonschema.Schema
	anchors map[string]*jsonschema.Schema // by "#name"
	known   map[costOf]int                // 0 while it is being computed
}

type costOf struct {
	schema *jsonschema.Schema
	depth  int
}

// collect finds the anchors that references may name.
func (c *costs) collect(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	for _, name := range []string{s.Anchor, s.DynamicAnchor} {
		if name != "" {
			c.anchors["#"+name] = s
		}
	}
	for child := range below(s) {
		c.collect(child)
	}
}

var (
	errSchemaLoops = errors.New("it refers to itself")
	errSchemaCost  = errors.New("it branches too much")
	errSchemaRef   = errors.New("a reference can't be followed")
)

// of returns the cost of s for a value that is depth levels deep.
func (c *costs) of(s *jsonschema.Schema, depth int) (int, error) {
	if s == nil || depth == 0 {
		return 0, nil
	}
	at := costOf{s, depth}
	if cost, seen := c.known[at]; seen {
		if cost == 0 {
			return 0, errSchemaLoops
		}
		return cost, nil
	}
	c.known[at] = 0
	sum := 1
	add := func(s *jsonschema.Schema, depth int) error {
		cost, err := c.of(s, depth)
		if err != nil {
			return err
		}
		if sum += cost; sum > maxSchemaCost {
			return errSchemaCost
		}
		return nil
	}
	same, err := c.beside(s)
	if err != nil {
		return 0, err
	}
	for _, child := range same {
		if err := add(child, depth); err != nil {
			return 0, err
		}
	}
	for _, group := range deeper(s) {
		if err := c.addDearest(group, depth-1, add); err != nil {
			return 0, err
		}
	}
	c.known[at] = sum
	return sum, nil
}

// addDearest adds the schema of a group that costs most: each looks at another
// member of the value.
func (c *costs) addDearest(group []*jsonschema.Schema, depth int, add func(*jsonschema.Schema, int) error) error {
	var dearest *jsonschema.Schema
	most := 0
	for _, s := range group {
		cost, err := c.of(s, depth)
		if err != nil {
			return err
		}
		if cost > most {
			dearest, most = s, cost
		}
	}
	return add(dearest, depth)
}

// beside returns the subschemas that look at the same value as s.
func (c *costs) beside(s *jsonschema.Schema) ([]*jsonschema.Schema, error) {
	same := slices.Concat(s.AllOf, s.AnyOf, s.OneOf, []*jsonschema.Schema{s.Not, s.If, s.Then, s.Else})
	for _, child := range s.DependentSchemas {
		same = append(same, child)
	}
	for _, child := range s.DependencySchemas {
		same = append(same, child)
	}
	for _, ref := range []string{s.Ref, s.DynamicRef} {
		if ref == "" {
			continue
		}
		target := c.target(ref)
		if target == nil {
			return nil, errSchemaRef
		}
		same = append(same, target)
	}
	return same, nil
}

// target returns the schema that a reference within the document names.
func (c *costs) target(ref string) *jsonschema.Schema {
	if s := c.anchors[ref]; s != nil {
		return s
	}
	base, pointer, _ := strings.Cut(ref, "#")
	if base != "" && base != strings.TrimSuffix(c.root.ID, "#") {
		return nil
	}
	if pointer == "" {
		return c.root
	}
	s := c.root
	tokens := strings.Split(pointer, "/")
	for i := 1; i < len(tokens) && s != nil; {
		named, listed, only := under(s, tokens[i])
		switch i++; {
		case only != nil:
			s = only
		case i == len(tokens):
			return nil
		case named != nil:
			s = named[unescape.Replace(tokens[i])]
			i++
		default:
			n, err := strconv.Atoi(tokens[i])
			if err != nil || n < 0 || n >= len(listed) {
				return nil
			}
			s = listed[n]
			i++
		}
	}
	return s
}

var unescape = strings.NewReplacer("~1", "/", "~0", "~", "%25", "%")

// under returns what stands under a keyword of s: schemas by name, a list of
// them, or one.
func under(s *jsonschema.Schema, keyword string) (map[string]*jsonschema.Schema, []*jsonschema.Schema, *jsonschema.Schema) {
	switch keyword {
	case "$defs":
		return s.Defs, nil, nil
	case "definitions":
		return s.Definitions, nil, nil
	case "properties":
		return s.Properties, nil, nil
	case "items":
		return nil, s.ItemsArray, s.Items
	case "additionalProperties":
		return nil, nil, s.AdditionalProperties
	case "prefixItems":
		return nil, s.PrefixItems, nil
	case "allOf":
		return nil, s.AllOf, nil
	case "anyOf":
		return nil, s.AnyOf, nil
	case "oneOf":
		return nil, s.OneOf, nil
	default:
		return nil, nil, nil
	}
}

// deeper returns the subschemas that look at a part of the value, in groups of
// which each part meets one.
func deeper(s *jsonschema.Schema) [][]*jsonschema.Schema {
	properties := make([]*jsonschema.Schema, 0, len(s.Properties))
	for _, child := range s.Properties {
		properties = append(properties, child)
	}
	groups := [][]*jsonschema.Schema{
		properties, slices.Concat(s.PrefixItems, s.ItemsArray),
		{s.Items}, {s.AdditionalItems}, {s.UnevaluatedItems}, {s.Contains},
		{s.AdditionalProperties}, {s.UnevaluatedProperties}, {s.PropertyNames},
	}
	for _, child := range s.PatternProperties {
		groups = append(groups, []*jsonschema.Schema{child})
	}
	return groups
}

// below returns all direct subschemas of s.
func below(s *jsonschema.Schema) iter.Seq[*jsonschema.Schema] {
	return func(yield func(*jsonschema.Schema) bool) {
		groups := append(deeper(s), s.AllOf, s.AnyOf, s.OneOf, []*jsonschema.Schema{s.Not, s.If, s.Then, s.Else})
		for _, named := range []map[string]*jsonschema.Schema{s.Defs, s.Definitions, s.DependentSchemas, s.DependencySchemas} {
			groups = append(groups, slices.Collect(maps.Values(named)))
		}
		for _, child := range slices.Concat(groups...) {
			if child != nil && !yield(child) {
				return
			}
		}
	}
}
