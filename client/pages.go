package client

import (
	"context"
	"crypto/sha256"
	"errors"
	"iter"
)

// defaultMaxPages bounds how many pages an iterator reads.
const defaultMaxPages = 1000

// WithMaxPages bounds how many pages of a list an iterator reads: by default
// 1,000. A *PageError says that there were more.
func WithMaxPages(n int) Option {
	return func(c *config) error {
		if n <= 0 {
			return errors.New("client: the pages must be above zero")
		}
		c.maxPages = n
		return nil
	}
}

// A page is one part of a list.
type page[T any] struct {
	items []T
	next  *string // nil at the end; an empty cursor is a cursor
}

// pages returns the items of all pages of a list. It ends with a *PageError
// when a page can't be had, the server repeats a cursor, or there are too many
// pages.
//
// Source: MCP 2026-07-28, server/utilities/pagination.
func pages[T any](
	ctx context.Context, c *Client, method string, opts []CallOption,
	fetch func(context.Context, []CallOption) (page[T], error),
) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		seen := make(map[[sha256.Size]byte]bool) // a cursor may be as large as a message
		opts, first := opts, opts[:len(opts):len(opts)]
		for n := 0; ; n++ {
			p, err := fetch(ctx, opts)
			if err != nil {
				if n > 0 {
					err = &PageError{Method: method, Pages: n, Err: err}
				}
				yield(nil, err)
				return
			}
			for i := range p.items {
				if !yield(&p.items[i], nil) {
					return
				}
			}
			if p.next == nil {
				return
			}
			cursor := sha256.Sum256([]byte(*p.next))
			switch {
			case seen[cursor]:
				yield(nil, &PageError{Method: method, Pages: n + 1, Err: ErrRepeatedCursor})
				return
			case n+1 == c.config.maxPages:
				yield(nil, &PageError{Method: method, Pages: n + 1, Err: ErrTooManyPages})
				return
			}
			seen[cursor] = true
			opts = append(first, Cursor(*p.next)) // and no cursor of a page before
		}
	}
}
