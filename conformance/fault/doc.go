// Package fault is a Model Context Protocol server that does what a script
// says, right or wrong, for tests of clients: over HTTP on a real socket, over
// stdio in a real child process.
//
// A [Script] gives the answers by method: the first answer goes to the first
// request, the second to the second, and the last one stays. An answer is a
// list of steps, taken in order.
//
//	srv := fault.NewHTTP(fault.Script{
//		"server/discover": {
//			{fault.Status(503), fault.Header("Retry-After", "1"), fault.Raw("down")},
//			{fault.Discover("2026-07-28")},
//		},
//		"tools/list": {{fault.Cut(20), fault.Tools("echo"), fault.Reset()}},
//	})
//	defer srv.Close()
//
// The same script drives both transports. Where a step means nothing on one of
// them it does nothing there, and its comment says so.
//
// # What went wrong, in steps
//
//	a refusal, an outage          Status(429), Header("Retry-After", "5")
//	no answer                     Silence()
//	half a body, then the end     Cut(20), Result("{}")
//	half a body, then silence     Cut(20), Result("{}"), Silence()
//	half a header                 Wire("HTTP/1.1 200 OK\r\nContent-")
//	a connection reset            Reset()
//	slow bytes                    Slow(time.Millisecond), Result("{}")
//	another request's id          Message(`{"jsonrpc":"2.0","id":99,"result":{}}`)
//	a wrong-case name             Message(`{"jsonrpc":"2.0","id":${id},"Result":{}}`)
//	a batch                       Message(`[{"jsonrpc":"2.0","id":${id},"result":{}}]`)
//	a huge message                Result(`{"padding":"${fill:50000000}"}`)
//	an endless stream             Stream(), Forever(": keep-alive\n\n")
//	a redirect                    Status(307), Header("Location", "/elsewhere")
//	a banner, noise               Raw("listening\n")
//	a flood on stderr             Stderr("${fill:1000000}")
//	an exit                       Stderr("no such file\n"), Exit(3)
//	an exit in mid-message        Cut(20), Result("{}"), Exit(1)
//	an answer that is late        Answered("initialize"), Discover("2026-07-28")
//
// Beside methods, a script answers what happens to a server: [Start] before a
// process reads its input, [EOF] and [Signal] when it is asked to leave,
// [GET] and [DELETE] over HTTP. A process that ignores the end of its input and
// signals is one that answers both with Silence.
//
// # What the client sent
//
// The server records everything: messages, HTTP headers, process starts and
// ends, streams that the client closed. [Server.Methods] is the short form,
// [Server.Records] the whole; [Server.Await] waits for one to come.
//
// # Time
//
// Steps wait for events, not for time: [After] until the client has sent a
// method, [Answered] until it has been answered, [Hold] until the test calls
// [Server.Release]. Pause and Slow are there for when time itself is the fault.
//
// # Child processes
//
// [Stdio.Command] runs the program that calls it once more, as the server. So
// that program has to hand over at its start:
//
//	func TestMain(m *testing.M) {
//		fault.RunIfChild()
//		os.Exit(m.Run())
//	}
package fault
