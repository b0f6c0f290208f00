// Gateway gives many callers one MCP server over plain HTTP: each request is a
// client of its own, connected with its caller's credentials and closed again.
// Connections, eras and what the server lets be kept are shared, so that a
// request costs the server one request, and a bad minute of the server never
// changes what is known of its era.
//
//	go run ./cmd/mcpera serve --addr 127.0.0.1:8080
//	echo '{"key-of-ada": {"name": "ada", "token": "tokenA"}}' > callers.json
//	go run ./examples/gateway -server http://127.0.0.1:8080/mcp -callers callers.json
//	curl -H 'Authorization: Bearer key-of-ada' -d '{"a":2,"b":3}' http://127.0.0.1:8081/tools/add_numbers
package main

import (
	"errors"
	"flag"
	"io"
	"log"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/client/responsecache"
	"github.com/mcpera/mcpera/erecache"
	"github.com/mcpera/mcpera/transport"
	mcphttp "github.com/mcpera/mcpera/transport/http"
)

func main() {
	server := flag.String("server", "", "the MCP server's `URL`")
	file := flag.String("callers", "callers.json", "the `FILE` with the callers by their keys")
	addr := flag.String("addr", "127.0.0.1:8081", "the `HOST:PORT` to listen on")
	flag.Parse()
	data, err := os.ReadFile(*file)
	if err != nil {
		log.Fatal(err)
	}
	callers := make(map[string]caller)
	if err := json.Unmarshal(data, &callers); err != nil {
		log.Fatal(err)
	}
	log.Fatal(http.ListenAndServe(*addr, newGateway(*server, callers)))
}

// A caller is who may use the gateway, and the token that the server knows it by.
// The key that it shows the gateway never goes to the server.
type caller struct {
	Name  string `json:"name"`
	Token string `json:"token"`
}

// A gateway is what all requests share.
type gateway struct {
	*http.ServeMux
	server  string
	callers map[string]caller
	web     *http.Client
	options []client.Option
}

func newGateway(server string, callers map[string]caller) *gateway {
	g := &gateway{
		ServeMux: http.NewServeMux(),
		server:   server,
		callers:  callers,
		web:      &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 100}},
		options: []client.Option{
			client.WithEraCache(erecache.New(time.Now)),
			client.WithResponseCache(responsecache.New(time.Now)),
			client.WithoutServerStream(), // a call needs none
		},
	}
	g.HandleFunc("POST /tools/{name}", g.call)
	return g
}

// call calls a tool with the request's body as arguments.
func (g *gateway) call(w http.ResponseWriter, r *http.Request) {
	key, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	user, ok := g.callers[key]
	if !ok {
		http.Error(w, "who is calling?", http.StatusUnauthorized)
		return
	}
	arguments, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
	if err != nil || jsontext.Value(arguments).Kind() != '{' || !jsontext.Value(arguments).IsValid() {
		http.Error(w, "the body is no JSON object of up to 1 MiB", http.StatusBadRequest)
		return
	}
	t, err := mcphttp.New(g.server, mcphttp.WithClient(g.web),
		mcphttp.WithHeader("Authorization", "Bearer "+user.Token), mcphttp.WithPrincipal(user.Name))
	if err != nil {
		fail(w, err)
		return
	}
	c, err := client.Connect(r.Context(), t, g.options...)
	if err != nil {
		fail(w, err)
		return
	}
	defer c.Close()
	result, err := c.CallTool(r.Context(), r.PathValue("name"), jsontext.Value(arguments))
	if err != nil {
		fail(w, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if err := json.MarshalWrite(w, result); err != nil {
		log.Print(err)
	}
}

// fail tells the caller what kind of thing went wrong, and the log what.
func fail(w http.ResponseWriter, err error) {
	log.Print(err)
	var refused *transport.AuthError
	var down *transport.UnavailableError
	var answered *transport.ServerError
	switch {
	case errors.As(err, &refused):
		http.Error(w, "the server refuses the caller", http.StatusForbidden)
	case errors.As(err, &down):
		http.Error(w, "the server is down", http.StatusServiceUnavailable)
	case errors.As(err, &answered):
		http.Error(w, answered.Err.Message, http.StatusBadGateway)
	default:
		http.Error(w, "the server can't be reached", http.StatusBadGateway)
	}
}
