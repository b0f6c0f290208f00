package challenge_test

import (
	"fmt"

	"github.com/mcpera/mcpera/transport/challenge"
)

func ExampleParse() {
	for _, c := range challenge.Parse(`Bearer error="insufficient_scope", scope="files:read files:write", Basic realm="x"`) {
		if c.Is("bearer") {
			fmt.Println(c.Get("error"), "-", c.Get("scope"))
		}
	}
	// Output: insufficient_scope - files:read files:write
}
