package auth

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/mcpera/mcpera/internal/origin"
)

// Bounds on one request to an authorization server.
const (
	maxDocument    = 256 << 10 // bytes of an answer
	requestTimeout = 30 * time.Second
	maxRedirects   = 3
)

// errAbsent means that there is no document at a URL.
var errAbsent = errors.New("there is none")

// newHTTPClient returns the client for what servers name. It keeps no cookies,
// and follows a redirect only within the origin and only of a GET.
func newHTTPClient(base http.RoundTripper) *http.Client {
	return &http.Client{Transport: base, CheckRedirect: func(next *http.Request, via []*http.Request) error {
		if via[0].Method != http.MethodGet || len(via) > maxRedirects || origin.Of(next.URL) != origin.Of(via[0].URL) {
			return http.ErrUseLastResponse
		}
		return nil
	}}
}

// fetch gets a JSON document and decodes it into v. errAbsent: the answer is a
// 4xx, or no JSON where a well-known URL was only tried.
func (a *Authorizer) fetch(ctx context.Context, u *url.URL, v any) error {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return errNotURL
	}
	req.Header.Set("Accept", "application/json")
	resp, err := a.http.Do(req)
	if err != nil {
		return plain(err)
	}
	body, err := readBody(resp)
	switch {
	case resp.StatusCode/100 == 3:
		return fmt.Errorf("HTTP %d: redirects to another origin are not followed", resp.StatusCode)
	case resp.StatusCode/100 == 4 && resp.StatusCode != http.StatusRequestTimeout && resp.StatusCode != http.StatusTooManyRequests:
		return fmt.Errorf("%w: HTTP %d", errAbsent, resp.StatusCode)
	case resp.StatusCode != http.StatusOK:
		return fmt.Errorf("HTTP %d", resp.StatusCode)
	case err != nil:
		return err
	}
	if !bytes.HasPrefix(bytes.TrimSpace(body), []byte("{")) {
		return fmt.Errorf("%w: the answer is no JSON object", errAbsent)
	}
	if json.Unmarshal(body, v) != nil { // the error would repeat what was sent
		return errors.New("the answer is no valid JSON of its kind")
	}
	return nil
}

// readBody reads a body within the bound and closes it.
func readBody(resp *http.Response) ([]byte, error) {
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxDocument+1))
	if len(body) > maxDocument {
		return nil, fmt.Errorf("the answer is larger than %d bytes", maxDocument)
	}
	return body, err
}

// plain takes the URL out of an error of net/http: its query may hold secrets.
func plain(err error) error {
	if e, ok := errors.AsType[*url.Error](err); ok {
		return e.Err
	}
	return err
}
