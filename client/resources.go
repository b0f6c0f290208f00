package client

import (
	"context"
	"iter"

	"github.com/mcpera/mcpera/protocol"
)

// ListResources returns one page of the server's resources: the first, or the
// one that Cursor names. A fresh answer comes from the cache; see Cache.
//
// Source: MCP 2026-07-28, server/resources, "Listing Resources".
func (c *Client) ListResources(ctx context.Context, opts ...CallOption) (*protocol.ListResourcesResult, error) {
	r, err := list[protocol.ListResourcesResult](ctx, c, protocol.MethodListResources, opts)
	if err == nil {
		c.noteDropped("resource", r.Resources.Dropped)
	}
	return r, err
}

// Resources returns all of the server's resources; see Tools.
func (c *Client) Resources(ctx context.Context, opts ...CallOption) iter.Seq2[*protocol.Resource, error] {
	return pages(ctx, c, protocol.MethodListResources, opts,
		func(ctx context.Context, opts []CallOption) (page[protocol.Resource], error) {
			r, err := c.ListResources(ctx, opts...)
			if err != nil {
				return page[protocol.Resource]{}, err
			}
			return page[protocol.Resource]{r.Resources.Items, r.NextCursor}, nil
		})
}

// ListResourceTemplates returns one page of the server's resource templates:
// the first, or the one that Cursor names. A fresh answer comes from the cache; see
// Cache.
//
// Source: MCP 2026-07-28, server/resources, "Resource Templates".
func (c *Client) ListResourceTemplates(ctx context.Context, opts ...CallOption) (*protocol.ListResourceTemplatesResult, error) {
	r, err := list[protocol.ListResourceTemplatesResult](ctx, c, protocol.MethodListResourceTemplates, opts)
	if err == nil {
		c.noteDropped("resource template", r.ResourceTemplates.Dropped)
	}
	return r, err
}

// ResourceTemplates returns all of the server's resource templates; see Tools.
func (c *Client) ResourceTemplates(ctx context.Context, opts ...CallOption) iter.Seq2[*protocol.ResourceTemplate, error] {
	return pages(ctx, c, protocol.MethodListResourceTemplates, opts,
		func(ctx context.Context, opts []CallOption) (page[protocol.ResourceTemplate], error) {
			r, err := c.ListResourceTemplates(ctx, opts...)
			if err != nil {
				return page[protocol.ResourceTemplate]{}, err
			}
			return page[protocol.ResourceTemplate]{r.ResourceTemplates.Items, r.NextCursor}, nil
		})
}

// ReadResource reads the resource with uri. One that does not exist is a
// *transport.ServerError that matches ErrResourceNotFound in either era. The URI is
// the server's: nothing is fetched from where it points. A fresh answer comes from
// the cache; see Cache.
//
// Source: MCP 2026-07-28, server/resources, "Reading Resources".
func (c *Client) ReadResource(ctx context.Context, uri string, opts ...CallOption) (*protocol.ReadResourceResult, error) {
	r := new(protocol.ReadResourceResult)
	err := c.do(ctx, &call{
		method: protocol.MethodReadResource, name: uri, idempotent: true, asks: true,
		params: protocol.ResourceParams{URI: uri},
	}, r, opts)
	if err != nil {
		return nil, notFound(err)
	}
	return r, nil
}

// list makes a call for one page of a list.
func list[T any](ctx context.Context, c *Client, method string, opts []CallOption) (*T, error) {
	r := new(T)
	if err := c.do(ctx, &call{method: method, idempotent: true}, r, opts); err != nil {
		return nil, err
	}
	return r, nil
}
