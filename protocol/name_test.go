package protocol_test

import (
	"testing"

	"github.com/mcpera/mcpera/protocol"
)

// The names on the wire belong to the specification.
func TestNames(t *testing.T) {
	for want, got := range map[string]string{
		"server/discover":                          protocol.MethodDiscover,
		"initialize":                               protocol.MethodInitialize,
		"notifications/initialized":                protocol.MethodInitialized,
		"ping":                                     protocol.MethodPing,
		"notifications/progress":                   protocol.MethodProgress,
		"notifications/cancelled":                  protocol.MethodCancelled,
		"tools/list":                               protocol.MethodListTools,
		"tools/call":                               protocol.MethodCallTool,
		"prompts/list":                             protocol.MethodListPrompts,
		"prompts/get":                              protocol.MethodGetPrompt,
		"resources/list":                           protocol.MethodListResources,
		"resources/templates/list":                 protocol.MethodListResourceTemplates,
		"resources/read":                           protocol.MethodReadResource,
		"resources/subscribe":                      protocol.MethodSubscribe,
		"resources/unsubscribe":                    protocol.MethodUnsubscribe,
		"completion/complete":                      protocol.MethodComplete,
		"logging/setLevel":                         protocol.MethodSetLevel,
		"notifications/message":                    protocol.MethodLogMessage,
		"subscriptions/listen":                     protocol.MethodListen,
		"notifications/subscriptions/acknowledged": protocol.MethodAcknowledged,
		"notifications/tools/list_changed":         protocol.MethodToolsListChanged,
		"notifications/prompts/list_changed":       protocol.MethodPromptsListChanged,
		"notifications/resources/list_changed":     protocol.MethodResourcesListChanged,
		"notifications/resources/updated":          protocol.MethodResourceUpdated,
		"notifications/roots/list_changed":         protocol.MethodRootsListChanged,
		"sampling/createMessage":                   protocol.MethodCreateMessage,
		"elicitation/create":                       protocol.MethodElicit,
		"roots/list":                               protocol.MethodListRoots,

		"io.modelcontextprotocol/protocolVersion":    protocol.MetaProtocolVersion,
		"io.modelcontextprotocol/clientInfo":         protocol.MetaClientInfo,
		"io.modelcontextprotocol/clientCapabilities": protocol.MetaClientCapabilities,
		"io.modelcontextprotocol/logLevel":           protocol.MetaLogLevel,
		"io.modelcontextprotocol/serverInfo":         protocol.MetaServerInfo,
		"io.modelcontextprotocol/subscriptionId":     protocol.MetaSubscriptionID,
		"progressToken":                              protocol.MetaProgressToken,

		"complete":       protocol.ResultComplete,
		"input_required": protocol.ResultInputRequired,
		"accept":         protocol.ElicitAccept,
		"decline":        protocol.ElicitDecline,
		"cancel":         protocol.ElicitCancel,
	} {
		if got != want {
			t.Errorf("the name %q is %q", want, got)
		}
	}
}
