package migration_test

//lint:file-ignore SA1019 a program that moves may use what its SDK deprecates

import (
	mcpgo "github.com/mark3labs/mcp-go/client"
	mcpgotransport "github.com/mark3labs/mcp-go/client/transport"
	mcpgomcp "github.com/mark3labs/mcp-go/mcp"
	gosdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/handler"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
	mcphttp "github.com/mcpera/mcpera/transport/http"
	"github.com/mcpera/mcpera/transport/stdio"
)

// The names that stand in the tables of the pages: they exist.
var _ = []any{
	client.WithEra, client.WithVersions, client.WithProbeTimeout, client.WithMaxRounds, client.WithStreamLost,
	client.WithoutServerStream, client.WithMiddleware, client.WithLogger, client.WithTrace, client.WithTraceContext,
	client.WithCallTimeout, client.WithCallLimit, client.WithTasks, (*client.Client).StartTool, (*client.Task).Wait,
	(*client.Client).ServerInfo, (*client.Client).Capabilities, (*client.Client).ProtocolVersion, (*client.Client).Instructions,
	(*client.Client).Ping, (*client.Client).RootsChanged, client.WithRootsListChanged, client.Meta,
	client.OutputError{}, client.PageError{}, client.ToolError{}, protocol.ErrMethodNotFound, protocol.Error{},
	transport.ErrClosed, transport.ErrUnauthorized, transport.AuthError{}, transport.UnavailableError{},
	transport.TimeoutError{}, transport.StatusError{}, transport.ServerError{}, stdio.ExitError{},
	(handler.NotificationReceiver)(nil), (handler.URLElicitor)(nil), mcphttp.WithMaxMessage, mcphttp.WithAuthorizer, stdio.WithShutdown, stdio.WithEnv,
	stdio.WithInheritedEnv,

	(*gosdk.ClientSession).InitializeResult, (*gosdk.ClientSession).Ping, (*gosdk.Client).AddSendingMiddleware,
	(*gosdk.Client).AddRoots, gosdk.ClientSessionOptions{}.ProtocolVersion, gosdk.SSEClientTransport{},
	gosdk.StreamableClientTransport{}.DisableStandaloneSSE, gosdk.StreamableClientTransport{}.MaxEventSize,
	gosdk.CommandTransport{}.TerminateDuration, gosdk.ClientOptions{}.Logger, gosdk.ClientOptions{}.KeepAlive,
	gosdk.CallCustomMethod[*gosdk.ListToolsParams, *gosdk.ListToolsResult], (*gosdk.ClientSession).Wait,
	(*gosdk.ClientSession).Unsubscribe, gosdk.ErrConnectionClosed, gosdk.ErrSessionMissing,

	mcpgo.NewSSEMCPClient, mcpgo.WithDiscoverTimeout, mcpgo.WithProtocolVersion, mcpgo.WithLegacyProtocolOnly,
	mcpgo.WithMaxInputRoundTrips, (*mcpgo.Client).OnConnectionLost, (*mcpgo.Client).OnNotification, mcpgo.WithTracer,
	(*mcpgo.Client).RootListChanges, (*mcpgo.Client).WaitForTask, (*mcpgo.Client).GetTransport,
	mcpgotransport.WithContinuousListening, mcpgotransport.WithHTTPHeaderFunc, mcpgotransport.WithCommandFunc,
	mcpgotransport.WithCommandStderrWriter, mcpgotransport.WithHTTPTimeout, mcpgotransport.NewLogging,
	mcpgotransport.ErrSessionTerminated, mcpgotransport.ErrLegacySSEServer, mcpgotransport.Error{},
	mcpgomcp.ErrMethodNotFound,
}
