package client

// String returns what may be shown of a client: the server's origin or program,
// and the era. So do all verbs of fmt, log/slog and encoding/json.
func (c *Client) String() string {
	s := c.link.target.String()
	if session := c.opened(); session != nil {
		s += " (" + session.server().era.String() + ")"
	}
	return s
}

// GoString returns String in the form of a Go value.
func (c *Client) GoString() string { return "&client.Client{" + c.String() + "}" }

// MarshalText returns String, for logs in JSON.
func (c *Client) MarshalText() ([]byte, error) { return []byte(c.String()), nil }
