package auth

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A ClientDocument is a Client ID Metadata Document: its URL is the client id at
// every authorization server that reads such documents. The program's publisher
// serves it there, for which it is an http.Handler.
//
// Source: MCP 2026-07-28, client-registration, "Client ID Metadata Documents".
type ClientDocument struct {
	// ClientID is the document's own URL: https, with a path.
	ClientID string
	// ClientName is shown to users.
	ClientName string
	// RedirectURIs are where answers may go. For Loopback give
	// "http://127.0.0.1/callback": the port of a login is left open there.
	RedirectURIs []string
	// ClientURI and LogoURI are shown to users, if not "".
	ClientURI string
	LogoURI   string
	// More are further members, such as jwks_uri.
	More map[string]any
}

// Check returns what the specification requires and the document lacks.
func (d *ClientDocument) Check() error {
	u, err := url.Parse(d.ClientID)
	switch {
	case err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil || strings.Contains(d.ClientID, "#"):
		return errors.New("auth: the client id of a client document must be an https URL without userinfo and fragment")
	case u.Path == "" || u.Path == "/" || hasDots(u.EscapedPath()):
		return errors.New("auth: the client id of a client document must have a path, without dot segments")
	case d.ClientName == "":
		return errors.New("auth: a client document needs a client name")
	case len(d.RedirectURIs) == 0:
		return errors.New("auth: a client document needs redirect URIs")
	}
	return nil
}

// MarshalJSON returns the document as it is served.
func (d *ClientDocument) MarshalJSON() ([]byte, error) {
	if err := d.Check(); err != nil {
		return nil, err
	}
	all := map[string]any{
		"grant_types":                []string{"authorization_code", "refresh_token"},
		"response_types":             []string{"code"},
		"token_endpoint_auth_method": methodNone,
		"application_type":           applicationType(d.RedirectURIs[0]),
	}
	for name, value := range d.More {
		all[name] = value
	}
	all["client_id"], all["client_name"], all["redirect_uris"] = d.ClientID, d.ClientName, d.RedirectURIs
	if d.ClientURI != "" {
		all["client_uri"] = d.ClientURI
	}
	if d.LogoURI != "" {
		all["logo_uri"] = d.LogoURI
	}
	return json.Marshal(all, json.Deterministic(true), jsontext.WithIndent("  "))
}

// ServeHTTP serves the document.
func (d *ClientDocument) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
		return
	}
	body, err := d.MarshalJSON()
	if err != nil {
		http.Error(w, "the client document is not complete", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "public, max-age=3600")
	_, _ = w.Write(body)
}
