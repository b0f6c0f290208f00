package fault

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strconv"
)

var placeholder = regexp.MustCompile(`\$\{(id|n|params|fill:(\d+))\}`)

// expand fills in the placeholders of a text.
func (e *exchange) expand(text string) []byte {
	return placeholder.ReplaceAllFunc([]byte(text), func(name []byte) []byte {
		switch groups := placeholder.FindSubmatch(name); string(groups[1]) {
		case "id":
			if e.record.ID == "" {
				return []byte("null")
			}
			return []byte(e.record.ID)
		case "n":
			return strconv.AppendInt(nil, int64(e.n), 10)
		case "params":
			var request struct{ Params json.RawMessage }
			if json.Unmarshal([]byte(e.record.Body), &request) != nil || request.Params == nil {
				return []byte("null")
			}
			return request.Params
		default:
			size, err := strconv.Atoi(string(groups[2]))
			if err != nil {
				return name // more digits than an int holds
			}
			return bytes.Repeat([]byte("x"), size)
		}
	})
}
