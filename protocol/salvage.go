package protocol

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// SalvageID returns the id of what was meant to be a response although Decode
// refuses it: an object that has, as far as it can be read, jsonrpc "2.0", an id,
// and a result or error in whatever case. So the request that it belongs to can
// fail at once, rather than wait in vain.
func SalvageID(data []byte) (ID, bool) {
	d := jsontext.NewDecoder(bytes.NewReader(data), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if start, err := d.ReadToken(); err != nil || start.Kind() != '{' {
		return ID{}, false
	}
	var id ID
	var version, answers bool
	for d.PeekKind() == '"' {
		token, err := d.ReadToken()
		if err != nil {
			break
		}
		name := token.String()
		answers = answers || strings.EqualFold(name, "result") || strings.EqualFold(name, "error")
		value, err := d.ReadValue()
		if err != nil {
			break
		}
		switch name {
		case "jsonrpc":
			version = string(value) == `"2.0"`
		case "id":
			if id.UnmarshalJSON(value) != nil {
				return ID{}, false
			}
		case "method":
			return ID{}, false
		}
	}
	return id, version && answers && !id.IsZero()
}
