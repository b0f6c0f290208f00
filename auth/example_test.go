package auth_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/url"
	"os"
	"path/filepath"

	"github.com/mcpera/mcpera/auth"
	"github.com/mcpera/mcpera/client"
	mcphttp "github.com/mcpera/mcpera/transport/http"
)

// A desktop program: the user's browser opens when the server asks for a login,
// which is kept in a file for the next time.
func Example() {
	ctx := context.Background()
	dir, err := os.UserConfigDir()
	if err != nil {
		log.Fatal(err)
	}

	login, err := auth.New(
		auth.WithUserAgent(auth.Loopback{}), // opens the user's browser
		auth.WithClientName("Example"),      // what the user is asked to allow
		auth.WithStore(auth.NewFile(filepath.Join(dir, "example", "tokens.json"))),
	)
	if err != nil {
		log.Fatal(err)
	}
	defer login.Close()
	t, err := mcphttp.New("https://api.example.com/mcp", mcphttp.WithAuthorizer(login))
	if err != nil {
		log.Fatal(err)
	}
	c, err := client.Connect(ctx, t)
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
}

// A program that reaches its user in its own way: it shows the URL, and gets the
// address that the user ends up at.
func ExampleBrowser() {
	ask := func(ctx context.Context, authorizationURL string) (url.Values, error) {
		fmt.Println("Please visit", authorizationURL)
		var address string
		if _, err := fmt.Scanln(&address); err != nil {
			return nil, err
		}
		u, err := url.Parse(address)
		if err != nil {
			return nil, err
		}
		return u.Query(), nil
	}
	login, err := auth.New(
		auth.WithUserAgent(auth.Browser(ask).At("https://app.example.com/callback")),
		auth.WithRegistration(auth.Registration{Issuer: "https://login.example.com", ClientID: "example"}),
	)
	if err != nil {
		log.Fatal(err)
	}
	defer login.Close()
	// Output:
}

// The publisher of a program serves its Client ID Metadata Document, whose URL is
// the program's client id everywhere.
func ExampleClientDocument() {
	document := &auth.ClientDocument{
		ClientID:     "https://app.example.com/client.json",
		ClientName:   "Example",
		RedirectURIs: []string{"http://127.0.0.1/callback"},
	}
	mux := http.NewServeMux()
	mux.Handle("/client.json", document)

	body, err := document.MarshalJSON()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(body))
	// Output:
	// {
	//   "application_type": "native",
	//   "client_id": "https://app.example.com/client.json",
	//   "client_name": "Example",
	//   "grant_types": [
	//     "authorization_code",
	//     "refresh_token"
	//   ],
	//   "redirect_uris": [
	//     "http://127.0.0.1/callback"
	//   ],
	//   "response_types": [
	//     "code"
	//   ],
	//   "token_endpoint_auth_method": "none"
	// }
}
