// Command suiteclient is the client that the official conformance suite looks
// at: a program with nothing but this SDK's public API in it. The suite plays
// the server, starts the program with the server's URL as its last argument,
// and judges what comes over the wire.
//
//	conformance client --command ./suiteclient --scenario tools_call
//
// The suite also tells which protocol version it speaks. The program does not
// look: finding that out is what is tested.
//
// Source: the suite's README, "Testing Clients".
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/mcpera/mcpera/auth"
	"github.com/mcpera/mcpera/client"
	mcphttp "github.com/mcpera/mcpera/transport/http"
)

// timeLimit ends the program in good time: the suite kills only the shell that
// it started it with, after 30 s.
const timeLimit = 25 * time.Second

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), timeLimit)
	err := run(ctx)
	cancel()
	if err != nil {
		fmt.Fprintln(os.Stderr, "suiteclient:", err)
		os.Exit(1)
	}
}

// run connects to the server and does what the scenario asks for.
func run(ctx context.Context) (err error) {
	if len(os.Args) < 2 {
		return errors.New("the URL of the suite's server is missing")
	}
	url := os.Args[len(os.Args)-1]
	scenario := os.Getenv("MCP_CONFORMANCE_SCENARIO")
	visit := visitFor(scenario)
	given, err := readData(os.Getenv("MCP_CONFORMANCE_CONTEXT"))
	if err != nil {
		return err
	}

	var loginOptions []auth.Option
	options := []client.Option{client.WithHandler(user{})}
	if x, ok := extensions[scenario]; ok {
		loginOptions = x.options(given)
		if x.id != "" {
			options = append(options, client.WithExtension(x.id, nil))
		}
	}
	login, err := newAuthorizer(given, loginOptions)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, login.Close()) }()
	t, err := mcphttp.New(url, mcphttp.WithAuthorizer(login))
	if err != nil {
		return err
	}
	c, err := client.Connect(ctx, t, options...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	return visit(ctx, c, given)
}

// data is what a scenario hands over; most hand over nothing.
type data struct {
	ToolCalls []struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"toolCalls"`
	ClientID     string `json:"client_id"` // registered beforehand
	ClientSecret string `json:"client_secret"`
	PrivateKey   string `json:"private_key_pem"`

	IDPIssuer        string `json:"idp_issuer"`
	IDPTokenEndpoint string `json:"idp_token_endpoint"`
	IDPClientID      string `json:"idp_client_id"`
	IDPIDToken       string `json:"idp_id_token"`

	ValidJWT string `json:"valid_jwt"`
}

func readData(text string) (data, error) {
	var d data
	if text == "" {
		return d, nil
	}
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		return d, fmt.Errorf("MCP_CONFORMANCE_CONTEXT: %w", err)
	}
	return d, nil
}
