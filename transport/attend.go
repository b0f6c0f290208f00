package transport

import "context"

// What a transport and its caller tell each other about the user, who may have
// to be asked while an exchange is under way: to log in, say.

type unattendedKey struct{}

// Unattended returns a context for what happens in the background: nothing that
// is sent with it makes a transport ask the user for anything.
func Unattended(ctx context.Context) context.Context {
	return context.WithValue(ctx, unattendedKey{}, true)
}

// IsUnattended reports whether ctx comes from Unattended.
func IsUnattended(ctx context.Context) bool {
	unattended, _ := ctx.Value(unattendedKey{}).(bool)
	return unattended
}

type holdKey struct{}

// WithHold returns a context that lets a transport hold the time that it was
// given. hold is called when the user begins to be asked, and what it returns
// when that is over. Both must be quick.
func WithHold(ctx context.Context, hold func() (release func())) context.Context {
	return context.WithValue(ctx, holdKey{}, func() func() {
		outer, inner := Hold(ctx), hold()
		return func() { inner(); outer() }
	})
}

// Hold holds the time that comes with ctx, as far as the caller allows that,
// while the user is asked. The caller of Hold calls release, once.
func Hold(ctx context.Context) (release func()) {
	if hold, ok := ctx.Value(holdKey{}).(func() func()); ok {
		return hold()
	}
	return func() {}
}
