package client_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/mcpera/mcpera/conformance/fault"
)

func TestMain(m *testing.M) {
	fault.RunIfChild()
	goleak.VerifyTestMain(m)
}
