package auth

import "net/url"

// checkIssuer returns nil when an authorization response is of the authorization
// server that was asked; want is its issuer, and says whether its metadata
// promises to name it. The comparison is one of plain strings.
//
// Source: MCP 2026-07-28, authorization, "Authorization Response Validation";
// RFC 9207, 2.4.
func checkIssuer(want string, promised bool, response url.Values) error {
	named := response["iss"]
	switch {
	case len(named) == 0 && !promised:
		return nil
	case len(named) == 1 && named[0] == want:
		return nil
	case len(named) == 0:
		return &IssuerError{Where: "authorization response", Want: want}
	}
	for _, got := range named {
		if got != want {
			return &IssuerError{Where: "authorization response", Want: want, Got: got}
		}
	}
	return &IssuerError{Where: "authorization response", Want: want} // named more than once
}
