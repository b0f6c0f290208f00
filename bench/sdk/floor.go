package sdk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync/atomic"
)

// A floor is the least that a legal exchange takes, written by hand with the
// standard library: it checks ids, result types and errors, decodes what a
// program uses, and keeps schemas raw. It has no options, no limits and no
// retries, and does not find out eras.
type floor struct {
	modern  bool
	lastID  atomic.Int64
	carrier carrier
}

// A carrier takes a request to the server, and returns the response. progress
// is called for each notification before that, unless it is nil.
type carrier interface {
	exchange(ctx context.Context, r outgoing, progress func(json.RawMessage)) (*envelope, error)
	close() error
}

type outgoing struct {
	id     int64 // 0 for a notification
	method string
	name   string
	body   []byte
}

// envelope is a JSON-RPC message.
type envelope struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

const (
	floorMeta = `"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
		`"io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1"},` +
		`"io.modelcontextprotocol/clientCapabilities":{}`
	floorInitialize = `"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}`
)

func openFloor(ctx context.Context, s Server) (Session, error) {
	f := &floor{modern: s.Modern}
	var err error
	if s.URL != "" {
		f.carrier = newFloorHTTP(s)
	} else if f.carrier, err = newFloorStdio(s.Command); err != nil {
		return nil, err
	}
	if s.Modern {
		return f, nil
	}
	var r struct {
		Version string `json:"protocolVersion"`
	}
	if err := f.do(ctx, "initialize", "", floorInitialize, &r, nil); err != nil {
		return nil, err
	}
	body := []byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	_, err = f.carrier.exchange(ctx, outgoing{method: "notifications/initialized", body: body}, nil)
	return f, err
}

// do makes a request and decodes its result. params are the members of an
// object.
func (f *floor) do(ctx context.Context, method, name, params string, result any, progress func(json.RawMessage)) error {
	id := f.lastID.Add(1)
	body := make([]byte, 0, 512)
	body = append(body, `{"jsonrpc":"2.0","id":`...)
	body = strconv.AppendInt(body, id, 10)
	body = append(append(append(body, `,"method":"`...), method...), `","params":{`...)
	if f.modern || progress != nil {
		body = append(body, `"_meta":{`...)
		if f.modern {
			body = append(body, floorMeta...)
		}
		if progress != nil {
			if f.modern {
				body = append(body, ',')
			}
			body = strconv.AppendInt(append(body, `"progressToken":`...), id, 10)
		}
		body = append(body, '}')
		if params != "" {
			body = append(body, ',')
		}
	}
	body = append(append(body, params...), "}}"...)
	m, err := f.carrier.exchange(ctx, outgoing{id, method, name, body}, progress)
	switch {
	case err != nil:
		return err
	case m.Error != nil:
		return fmt.Errorf("error %d: %s", m.Error.Code, m.Error.Message)
	case m.JSONRPC != "2.0" || string(m.ID) != strconv.FormatInt(id, 10):
		return errors.New("not the response")
	}
	return json.Unmarshal(m.Result, result)
}

type floorResult struct {
	ResultType *string `json:"resultType"`
	Content    []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	} `json:"content"`
	Structured json.RawMessage `json:"structuredContent"`
	IsError    bool            `json:"isError"`
}

func complete(resultType *string) error {
	if resultType != nil && *resultType != "complete" {
		return fmt.Errorf("a result of type %q", *resultType)
	}
	return nil
}

func (f *floor) call(ctx context.Context, tool string, progress func(json.RawMessage)) (string, error) {
	args, err := json.Marshal(arguments)
	if err != nil {
		return "", err
	}
	var r floorResult
	if err := f.do(ctx, "tools/call", tool, `"name":"`+tool+`","arguments":`+string(args), &r, progress); err != nil {
		return "", err
	}
	if err := complete(r.ResultType); err != nil || len(r.Content) != 1 || r.IsError {
		return "", errors.Join(err, errors.New("not one block"))
	}
	return r.Content[0].Text, nil
}

func (f *floor) Call(ctx context.Context, tool string) (string, error) { return f.call(ctx, tool, nil) }

func (f *floor) CallWithProgress(ctx context.Context, tool string, _ int) (int, error) {
	n := 0
	_, err := f.call(ctx, tool, func(params json.RawMessage) {
		var p struct {
			Token    json.RawMessage `json:"progressToken"`
			Progress float64         `json:"progress"`
			Total    *float64        `json:"total"`
			Message  string          `json:"message"`
		}
		if json.Unmarshal(params, &p) == nil && p.Message != "" {
			n++
		}
	})
	return n, err
}

func (f *floor) List(ctx context.Context) (int, error) {
	var r struct {
		ResultType *string `json:"resultType"`
		Tools      []struct {
			Name         string          `json:"name"`
			Title        string          `json:"title"`
			Description  string          `json:"description"`
			InputSchema  json.RawMessage `json:"inputSchema"`
			OutputSchema json.RawMessage `json:"outputSchema"`
			Annotations  json.RawMessage `json:"annotations"`
		} `json:"tools"`
		NextCursor *string `json:"nextCursor"`
	}
	if err := f.do(ctx, "tools/list", "", "", &r, nil); err != nil {
		return 0, err
	}
	return len(r.Tools), complete(r.ResultType)
}

func (f *floor) Close() error { return f.carrier.close() }
