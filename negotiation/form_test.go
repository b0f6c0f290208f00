package negotiation_test

import (
	"strings"

	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/protocol"
)

// forms returns the outcome of a claim in every form that a transport may
// report it in. A body that is one JSON-RPC message means the same raw, decoded,
// and inside an event stream however that is framed.
func forms(c claim) map[string]negotiation.Outcome {
	all := map[string]negotiation.Outcome{"as claimed": c.o}
	m, err := protocol.Decode(c.o.Body)
	if err != nil {
		return all
	}
	decoded := c.o
	decoded.Message, decoded.Body = m, nil
	all["decoded"] = decoded
	if c.on != negotiation.HTTP {
		return all
	}
	with := func(contentType, body string) negotiation.Outcome {
		o := c.o
		o.ContentType, o.Body = contentType, []byte(body)
		return o
	}
	body := string(c.o.Body)
	all["without a type"] = with("", body)
	all["typed as text"] = with("text/plain", body)
	all["typed in another spelling"] = with(`Application/JSON; charset="UTF-8"`, body)
	all["after a byte order mark"] = with("application/json", "\uFEFF"+body)
	all["between blanks"] = with("application/json", "\r\n "+body+"\n")
	for framing, stream := range streams(body) {
		all["event stream, "+framing] = with("text/event-stream", stream)
	}
	all["event stream in another spelling"] = with("TEXT/Event-Stream;charset=utf-8", "data: "+body+"\n\n")
	return all
}

// streams are the ways to frame one message as a complete event stream.
func streams(body string) map[string]string {
	cut := strings.Index(body, ",") + 1 // JSON may break after a comma
	lines := "data: " + body[:cut] + "\ndata: " + body[cut:] + "\n\n"
	notification := `data: {"jsonrpc":"2.0","method":"notifications/message","params":{}}` + "\n\n"
	request := `data: {"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n\n"
	event := "data: " + body + "\n\n"
	return map[string]string{
		"LF":                              event,
		"CRLF":                            strings.ReplaceAll(event, "\n", "\r\n"),
		"CR":                              strings.ReplaceAll(event, "\n", "\r"),
		"no space after the colon":        "data:" + body + "\n\n",
		"event named message":             "event: message\nid: 7\n" + event,
		"data in two lines":               lines,
		"data in two lines, CRLF":         strings.ReplaceAll(lines, "\n", "\r\n"),
		"data in two lines, CR":           strings.ReplaceAll(lines, "\n", "\r"),
		"comments between":                ":keepalive\n\n:\n" + event + ":bye\n\n",
		"comment inside the event":        "data: " + body[:cut] + "\n: still here\ndata: " + body[cut:] + "\n\n",
		"byte order mark":                 "\uFEFF" + event,
		"last blank line missing":         "data: " + body + "\n",
		"last line end missing":           "data: " + body,
		"priming event first":             "id: 1\nretry: 500\ndata:\n\n" + event,
		"field without a colon first":     "data\n\n" + event,
		"notification first":              notification + event,
		"request first":                   request + event,
		"event that is no JSON first":     "data: hello\n\n" + event,
		"event of another name first":     "event: ping\ndata: " + rpcResult("1", discover(discoverModern)) + "\n\n" + event,
		"event of another name first (2)": "event: ping\ndata: " + rpcError("1", -32601) + "\n\n" + event,
		"nothing but notifications after": event + notification,
	}
}
