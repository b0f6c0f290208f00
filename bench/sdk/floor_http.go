package sdk

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
)

type floorHTTP struct {
	url     string
	modern  bool
	client  *http.Client
	session string
}

func newFloorHTTP(s Server) *floorHTTP {
	return &floorHTTP{url: s.URL, modern: s.Modern, client: floorClient}
}

// floorClient is net/http's, with connections for many callers.
var floorClient = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 512}}

func (f *floorHTTP) exchange(ctx context.Context, r outgoing, progress func(json.RawMessage)) (*envelope, error) {
	hreq, err := http.NewRequestWithContext(ctx, http.MethodPost, f.url, bytes.NewReader(r.body))
	if err != nil {
		return nil, err
	}
	hreq.Header.Set("Content-Type", "application/json")
	hreq.Header.Set("Accept", "application/json, text/event-stream")
	switch {
	case f.modern:
		hreq.Header.Set("MCP-Protocol-Version", "2026-07-28")
		hreq.Header.Set("Mcp-Method", r.method)
		if r.name != "" {
			hreq.Header.Set("Mcp-Name", r.name)
		}
	case r.method != "initialize":
		hreq.Header.Set("MCP-Protocol-Version", "2025-11-25")
		hreq.Header.Set("Mcp-Session-Id", f.session)
	}
	resp, err := f.client.Do(hreq)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode/100 != 2 {
		return nil, fmt.Errorf("HTTP %d", resp.StatusCode)
	}
	if r.method == "initialize" {
		f.session = resp.Header.Get("Mcp-Session-Id")
	}
	if r.id == 0 {
		return nil, nil
	}
	if resp.Header.Get("Content-Type") == "text/event-stream" {
		return readFloorEvents(resp.Body, progress)
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	m := new(envelope)
	return m, json.Unmarshal(body, m)
}

// readFloorEvents reads a stream to its end, so that its connection is used
// again, and returns the response.
func readFloorEvents(body io.Reader, progress func(json.RawMessage)) (*envelope, error) {
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, 64<<20)
	var response *envelope
	for lines.Scan() {
		data, ok := bytes.CutPrefix(lines.Bytes(), []byte("data: "))
		if !ok {
			continue
		}
		m := new(envelope)
		if err := json.Unmarshal(data, m); err != nil {
			return nil, err
		}
		switch {
		case m.Method == "":
			response = m
		case m.Method == "notifications/progress" && progress != nil:
			progress(m.Params)
		}
	}
	if response == nil {
		return nil, errors.Join(lines.Err(), errors.New("no response"))
	}
	return response, nil
}

func (f *floorHTTP) close() error { return nil }
