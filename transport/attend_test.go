package transport

import (
	"context"
	"slices"
	"testing"
)

func TestHoldHoldsAllThatCanBeHeld(t *testing.T) {
	var log []string
	holding := func(name string) func() func() {
		return func() func() {
			log = append(log, "hold "+name)
			return func() { log = append(log, "release "+name) }
		}
	}
	Hold(t.Context())() // nothing
	ctx := WithHold(WithHold(t.Context(), holding("outer")), holding("inner"))
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	Hold(ctx)()
	if want := []string{"hold outer", "hold inner", "release inner", "release outer"}; !slices.Equal(log, want) {
		t.Errorf("%q, want %q", log, want)
	}
}

func TestUnattended(t *testing.T) {
	if IsUnattended(t.Context()) || !IsUnattended(Unattended(t.Context())) {
		t.Error("IsUnattended is wrong")
	}
}

func TestAuthErrorHasTheParsedChallenge(t *testing.T) {
	e := &AuthError{Challenge: `Basic realm="a, b", Bearer scope="s"`}
	c := e.Challenges()
	if len(c) != 2 || !c[1].Is("bearer") || c[1].Get("scope") != "s" {
		t.Errorf("%+v", c)
	}
}
