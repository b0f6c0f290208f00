package protocol

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

func TestResultType(t *testing.T) {
	for name, tc := range map[string]struct {
		result string
		want   string
		fails  bool
	}{
		"a type":                           {`{"resultType":"complete"}`, "complete", false},
		"behind other members":             {` { "a" : {"resultType":"no"} , "resultType" : "task" , "b" : 1 } `, "task", false},
		"none":                             {`{"content":[{"resultType":"no"}]}`, "", false},
		"an empty object":                  {`{}`, "", false},
		"null":                             {`{"resultType":null}`, "", false},
		"an escape in its name":            {`{"result\u0054ype":"task"}`, "task", false},
		"an escape in it":                  {`{"resultType":"t\u0061sk"}`, "task", false},
		"in another case":                  {`{"ResultType":"task"}`, "", false},
		"as a text's content":              {`{"text":"\\\"resultType\":","x":"\\","y":"\"resultType\":\"task\""}`, "", false},
		"a number":                         {`{"resultType":1}`, "", true},
		"an object":                        {`{"resultType":{}}`, "", true},
		"a result that is a list":          {`[]`, "", true},
		"a result that is null":            {`null`, "", true},
		"a result that is no JSON at all":  {``, "", true},
		"an object that is cut off":        {`{"resultType"`, "", false},
		"an object whose value is cut off": {`{"resultType":"`, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := ResultType(jsontext.Value(tc.result))
			if got != tc.want || (err != nil) != tc.fails {
				t.Errorf("ResultType(%s) is %q, %v; want %q", tc.result, got, err, tc.want)
			}
		})
	}
}

// What is read without a decoder is what the decoder reads.
func TestReadProgress(t *testing.T) {
	for _, params := range []string{
		`{"progressToken":7,"progress":1}`,
		` { "progressToken" : "a\u0062" , "progress" : -1.5e3, "total":2e400, "message" : "x\ny" } `,
		`{"progressToken":7,"progress":0.1,"total":10,"message":"é"}`,
		`{"progressToken":7,"progress":1,"total":null,"message":null}`,
		`{"progressToken":null,"progress":1}`,
		`{"progressToken":7,"progress":1,"_meta":{"a":1},"more":[1]}`,
		`{"progressToken":{},"progress":1}`, `{"progressToken":7,"progress":"1"}`, `{"progressToken":7,"message":1}`,
		`{"Progress":1}`, `{}`, `[]`, `null`, ``,
	} {
		var want Progress
		wantErr := json.Unmarshal([]byte(params), &want)
		got, err := ReadProgress(jsontext.Value(params))
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(ID{})); diff != "" || (err == nil) != (wantErr == nil) {
			t.Errorf("ReadProgress(%s): %v, want %v (-want +got):\n%s", params, err, wantErr, diff)
		}
	}
}

// FuzzMembers: of a valid object members yields what the decoder reads, and no
// input panics.
func FuzzMembers(f *testing.F) {
	for _, text := range []string{
		`{}`, ` {"a":1} `, `{"a":[1,{"b":"]}\""}],"c":null,"d":-1e5,"e":true}`, "{\t\"a\" :\r\n \"\\\\\" , \"b\":\"\\\"\"}",
		`{"\ud83d\ude42\u00e9\n\/\b\f\r\t\"\\":"\ud83d\ude42"}`, `{"é漢🙂":"é漢🙂"}`, `[1]`, `{"a"`, `{"a":`, `{"a":"\`, `{,}`, `{"a":1,`,
		`{"":""}`, `{"a":"\\\\","b":"\\\"\\"}`, `"\u12"`, `{"\ud800":1}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got := make(map[string]jsontext.Value)
		for name, value := range members(data) {
			got[string(name)] = value
		}
		var want map[string]jsontext.Value
		if jsontext.Value(data).Kind() != '{' || json.Unmarshal(data, &want) != nil {
			return
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("members of %s (-want +got):\n%s", data, diff)
		}
		for _, value := range got {
			var text string
			if value.Kind() != '"' || json.Unmarshal(value, &text) != nil {
				continue
			}
			if got := unquoted(value); got != text {
				t.Errorf("unquoted(%s) is %q, want %q", value, got, text)
			}
		}
	})
}

// A hostile string must not make the search for its end slow.
func TestStringLengthIsLinear(t *testing.T) {
	text := `"` + strings.Repeat(`\\\"`, 1<<20) + `"`
	if got := stringLength([]byte(text)); got != len(text) {
		t.Errorf("stringLength is %d, want %d", got, len(text))
	}
}
