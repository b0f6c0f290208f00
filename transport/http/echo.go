package http

import (
	"bytes"
	"net/http"
	"strings"

	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/protocol"
)

// concealed stands where a server repeated a secret.
const concealed = "[concealed]"

// leastSecret is how long a value must be to be concealed: shorter ones stand in
// what is no secret, too.
const leastSecret = 8

// conceal takes out of what an error will quote those secrets that the server has
// from the request: many say "session X not found" or "invalid token X". Results are
// the program's own business.
func (t *Transport) conceal(resp *http.Response, o *negotiation.Outcome) {
	failed := o.Message != nil && o.Message.Error != nil
	if resp == nil || resp.Request == nil || !failed && len(o.Body) == 0 && o.Challenge == "" && o.Location == "" {
		return
	}
	for _, secret := range t.secrets(resp.Request) {
		if len(secret) < leastSecret {
			continue
		}
		o.Body = bytes.ReplaceAll(o.Body, []byte(secret), []byte(concealed))
		o.Challenge = strings.ReplaceAll(o.Challenge, secret, concealed)
		o.Location = strings.ReplaceAll(o.Location, secret, concealed)
		if failed {
			concealIn(o.Message.Error, secret)
		}
	}
}

// concealIn takes a secret out of a server's error.
func concealIn(e *protocol.Error, secret string) {
	e.Message = strings.ReplaceAll(e.Message, secret, concealed)
	if !bytes.Contains(e.Data, []byte(secret)) {
		return
	}
	if e.Data = bytes.ReplaceAll(e.Data, []byte(secret), []byte(concealed)); !e.Data.IsValid() {
		e.Data = nil // it was a number
	}
}

// secrets are what a request carried that stands in no error: credentials, the
// session, what the program configured.
func (t *Transport) secrets(sent *http.Request) []string {
	var secrets []string
	for name, values := range sent.Header {
		_, configured := t.options.header[name]
		switch {
		case name == "Authorization":
			for _, value := range values {
				_, credentials, _ := strings.Cut(value, " ")
				secrets = append(secrets, credentials)
			}
		case configured, name == headerSession, name == "Dpop":
			secrets = append(secrets, values...)
		}
	}
	if _, password, ok := sent.BasicAuth(); ok {
		secrets = append(secrets, password)
	}
	for _, cookie := range sent.Cookies() {
		secrets = append(secrets, cookie.Value)
	}
	for _, values := range t.endpoint.Query() {
		secrets = append(secrets, values...)
	}
	return secrets
}
