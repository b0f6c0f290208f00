package target_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/netip"

	"github.com/mcpera/mcpera/transport/target"
)

// Any HTTP client can hold to a policy, for each request and each hop of a
// redirect.
func ExamplePolicy_Guard() {
	guard := target.Public().Guard(nil)
	defer guard.CloseIdleConnections()
	client := &http.Client{Transport: guard}

	_, err := client.Get("https://10.0.0.7/admin?token=x") // nothing is sent
	var refused *target.Error
	if errors.As(err, &refused) {
		fmt.Println(refused.Origin, "-", refused.Reason)
	}
	// Output: https://10.0.0.7 - a private address
}

// Servers of one's own network are allowed by their addresses.
func ExampleAllow() {
	policy := target.Public(target.Allow(netip.MustParsePrefix("10.1.0.0/16")))
	fmt.Println(policy.CheckAddr(netip.MustParseAddr("10.1.2.3")))
	fmt.Println(policy.CheckAddr(netip.MustParseAddr("10.2.2.3")))
	// Output:
	// <nil>
	// the target policy refuses 10.2.2.3: it is a private address
}
