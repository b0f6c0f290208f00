package client

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpera/mcpera/protocol"
)

// A reader who is slow hears that much has changed, in place of all of it.
func TestWhatWaitsInAFeedIsBounded(t *testing.T) {
	granted := protocol.SubscriptionFilter{ResourceSubscriptions: []string{"a:"}}
	updates := func(n, bytes int) (all []Change) {
		for i := range n {
			uri := fmt.Sprint("a:", i)
			all = append(all, Change{Kind: ResourceUpdated, URI: uri + strings.Repeat("x", max(0, bytes-len(uri)))})
		}
		return all
	}
	for name, tc := range map[string]struct {
		read bool // what came first is read before the rest comes
		put  []Change
		want []ChangeKind
	}{
		"as many as fit":             {true, updates(3, 0), []ChangeKind{ResourceUpdated, ResourceUpdated, ResourceUpdated}},
		"one more":                   {true, updates(maxChanges+1, 0), []ChangeKind{Gap}},
		"and then some":              {true, updates(maxChanges+2, 0), []ChangeKind{Gap, ResourceUpdated}},
		"larger ones":                {true, updates(3, maxURIsBytes/2), []ChangeKind{Gap}},
		"one that is too large":      {true, updates(1, maxURIsBytes+1), []ChangeKind{Gap}},
		"what was granted is kept":   {false, updates(maxChanges, 0), []ChangeKind{Acknowledged, Gap}},
		"a gap is as good as others": {true, append(updates(3*maxChanges, 0), Change{Kind: Gap, Granted: granted}), nil},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFeed()
			f.put(Change{Kind: Acknowledged, Granted: granted})
			if tc.read {
				f.take()
			}
			for _, change := range tc.put {
				f.put(change)
			}
			waiting, err := f.take()
			var got []ChangeKind
			for _, change := range waiting {
				got = append(got, change.Kind)
				if change.Kind == Gap && !cmp.Equal(change.Granted, granted) {
					t.Errorf("after the gap %+v is granted", change.Granted)
				}
			}
			if len(waiting) > maxChanges+1 || err != nil {
				t.Errorf("%d changes wait, and %v", len(waiting), err)
			}
			if diff := cmp.Diff(tc.want, got); tc.want != nil && diff != "" {
				t.Errorf("changes (-want +got):\n%s", diff)
			}
		})
	}
}

// A server may tell of a part of what was subscribed to, in either era.
func TestAPartOfAResourceIsWithinIt(t *testing.T) {
	for _, tc := range []struct {
		uri, resource string
		want          bool
	}{
		{"file:///a", "file:///a", true},
		{"file:///a/b", "file:///a", true},
		{"file:///a/b/c", "file:///a/", true},
		{"db://t?row=1", "db://t", true},
		{"doc:1#part", "doc:1", true},
		{"file:///ab", "file:///a", false},
		{"file:///", "file:///a", false},
		{"a:10", "a:1", false},
	} {
		if got := within(tc.uri, tc.resource); got != tc.want {
			t.Errorf("%s within %s: %v, want %v", tc.uri, tc.resource, got, tc.want)
		}
	}
}
