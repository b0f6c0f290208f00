package interop_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/mcpera/mcpera/conformance/interop"
)

func TestMain(m *testing.M) {
	interop.Recorder()
	goleak.VerifyTestMain(m)
}
