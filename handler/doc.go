// Package handler defines what a program can plug into a client: each
// interface is one thing that a server may ask for. A value implements those
// that it can serve, and the capabilities that the client declares follow from
// that alone, the same in both eras.
//
//	type assistant struct{ model Model }
//
//	func (a assistant) CreateMessage(ctx context.Context, req *protocol.CreateMessageRequest) (*protocol.CreateMessageResult, error) {
//		...
//	}
//
//	c, err := mcpera.Dial(ctx, url, client.WithHandler(assistant{model}))
//
// Methods are called concurrently, off the goroutine that reads, so that they may
// call the client. The context ends when the call that led to the request ends. An
// error, a panic or a missing answer fails that call alone, with a
// *client.HandlerError; of an error the server learns nothing, unless it is a
// *protocol.Error.
//
// What a server asks for is its own wish: who shows it to a person says which
// server it is, and lets the person refuse.
package handler
