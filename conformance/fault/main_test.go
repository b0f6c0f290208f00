package fault_test

import (
	"context"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/mcpera/mcpera/conformance/fault"
)

func TestMain(m *testing.M) {
	fault.RunIfChild()
	goleak.VerifyTestMain(m)
}

// await waits for a record, and gives up long after it should have come.
func await(t *testing.T, srv *fault.Server, key string, n int) fault.Record {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	r, err := srv.Await(ctx, key, n)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
