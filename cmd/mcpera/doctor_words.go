package main

import (
	"net/http"
	"strings"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/negotiation"
)

// rowWords says, for rows that end in a connection, what the server did.
var rowWords = map[negotiation.Row]string{
	negotiation.RowDiscover:          "it answered server/discover with its versions, as modern servers do",
	negotiation.RowUnsupportedMutual: "it refused the version that was offered first and named one that both sides speak",
	negotiation.RowStdioError:        "it does not know server/discover, and answered initialize",
	negotiation.RowStdioTimeout:      "it did not answer server/discover in time, and answered initialize",
	negotiation.RowStdioClosed:       "its process left on server/discover, and was started again for initialize",
	negotiation.RowNotModern:         "it refused server/discover as a legacy server does, and answered initialize",
	negotiation.RowMethodNotFound:    "it does not know server/discover, and answered initialize",
	negotiation.RowNarrowDemote:      "it does not know server/discover, and answered initialize",
}

// explainRow says which era was found, and why.
func explainRow(n client.Negotiation) string {
	switch row, ok := rowOf(n.Row); {
	case n.Row == "":
		return n.Verdict
	case ok && rowWords[row] != "":
		return n.Verdict + ": " + rowWords[row] + " (" + n.Row + ")"
	default:
		return n.Verdict + ": its answer to server/discover fits no era, but it answered initialize (" + n.Row + ")"
	}
}

// adviceForRow is how connecting could be better.
func adviceForRow(n client.Negotiation) string {
	switch row, _ := rowOf(n.Row); row {
	case negotiation.RowStdioTimeout:
		return "Each connection waits for an answer to server/discover that does not come. --era legacy spares that, and --probe-timeout bounds it."
	case negotiation.RowStdioClosed:
		return "Each connection starts the server twice. --era legacy spares that."
	default:
		return ""
	}
}

func rowOf(text string) (negotiation.Row, bool) {
	for _, row := range negotiation.Rows() {
		if row.String() == text {
			return row, true
		}
	}
	return negotiation.NoRow, false
}

// adviceForFault is what the user can do about a failed connection.
func adviceForFault(f fault) []string {
	var advice []string
	if f.hint != "" {
		advice = append(advice, f.hint)
	}
	if s := faultWords(f); s != "" {
		advice = append(advice, s)
	}
	return advice
}

func faultWords(f fault) string {
	switch f.Kind + "/" + f.Reason {
	case "unauthorized/unauthorized":
		return "If you have sent credentials, they have ended or are not meant for this server."
	case "unauthorized/forbidden":
		return "The server knows you, or your network, and does not let you in: ask who runs it."
	case "unavailable/network", "unavailable/timeout":
		return "Check the host and the port of the URL, whether the server runs, and whether a proxy or firewall stands between."
	case "unavailable/rate_limited":
		return "Wait, then try again; the server counts requests."
	case "status/not_mcp":
		if f.Status == http.StatusNotFound {
			return "There is a web server, but no MCP at this URL: check the path, which is often /mcp or /sse."
		}
		return "What answers is no MCP server: check the URL."
	case "status/redirect":
		return "The server is elsewhere: use the URL that it points to, if you trust it."
	case "negotiation/no_common_version":
		return "Server and mcpera have no version in common: update the older of the two."
	case "start/not_found":
		return "Install the command, or name it with its path."
	case "start/permission":
		return "The file may not be run: check its permissions."
	}
	switch {
	case f.Kind == "unavailable":
		return "The server, or a gateway before it, is out of order: try again later, or ask who runs it."
	case f.Kind == "timeout":
		return "Give it more time with --timeout, and see with -v where it stops."
	case f.Kind == "exit" && strings.HasPrefix(f.Reason, "code_"):
		return "The command ended by itself: run it in a terminal to see why, and check its arguments and variables."
	case f.exit == exitProtocol:
		return "The server breaks the protocol: --trace FILE keeps the exchange, which those who made it need to see."
	default:
		return ""
	}
}
