package handler

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"
)

// A NotificationReceiver gets every notification of a server, also those that
// the client knows and those that no specification does, in the order in which
// they came. It is told one at a time, beside the calls under way, and may call
// the client. ctx ends with the client.
type NotificationReceiver interface {
	Notification(ctx context.Context, method string, params jsontext.Value)
}
