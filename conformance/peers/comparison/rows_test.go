package comparison_test

// rows are those of the table, in its order.
var rows = []row{
	{"a server of both eras answers the probe 401, 403, 408, 429 or 503, or resets it", refusals},
	{"an HTTP+SSE server (2024-11-05), by its URL alone", shared},
	{"the next call, when a legacy server forgot the session (404)", forgotten},
	{"307 to another port of the host", redirected},
	{"`\"Result\"` in place of `\"result\"`; `\"result\"` twice", names},
	{"an answer without end, as a JSON body or one event", endless},
	{"2<sup>53</sup> + 1 in structured content", integer},
	{"structured content that breaks the listed schema", schema},
	{"progress handlers, when the call returns", progress},
	{"a handler panics (modern era)", panics},
	{"a stdio server prints a line that is no JSON", noise},
	{"a child that a stdio server left, after Close", tree},
}
