package client

import (
	"context"
	"fmt"
	"testing"
)

// Each page is asked for by its own cursor alone: those before it are as good as
// gone, and may have been large.
func TestAPageIsAskedForByOneCursor(t *testing.T) {
	own := []CallOption{Meta("com.example/a", 1), Meta("com.example/b", 2)}
	c := &Client{config: &config{maxPages: 50}}
	pagesRead := 0
	all := pages(t.Context(), c, "tools/list", own, func(_ context.Context, opts []CallOption) (page[int], error) {
		if want := len(own) + min(pagesRead, 1); len(opts) != want {
			t.Fatalf("page %d is asked for with %d options, want %d", pagesRead, len(opts), want)
		}
		var made call
		for _, opt := range opts {
			if err := opt(&made); err != nil {
				t.Fatal(err)
			}
		}
		if last := fmt.Sprint("page ", pagesRead); pagesRead > 0 && (made.cursor == nil || *made.cursor != last) {
			t.Fatalf("page %d is asked for by another cursor", pagesRead)
		}
		pagesRead++
		next := fmt.Sprint("page ", pagesRead)
		return page[int]{items: []int{pagesRead}, next: &next}, nil
	})
	for range 2 { // the second time begins with the first page, too
		pagesRead = 0
		for _, err := range all {
			if err != nil && pagesRead != 50 {
				t.Fatal(err)
			}
		}
	}
}
