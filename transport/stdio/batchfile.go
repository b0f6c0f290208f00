package stdio

import (
	"errors"
	"strings"
)

// isBatchFile reports whether Windows runs a file by its command interpreter.
func isBatchFile(path string) bool {
	lower := strings.ToLower(path)
	return strings.HasSuffix(lower, ".bat") || strings.HasSuffix(lower, ".cmd")
}

// errUnquotable means that cmd.exe can't be given an argument as it is.
var errUnquotable = errors.New("cmd.exe can't be given an argument with a line end or NUL, nor a batch file whose name has a quote or a percent sign")

// batchLine returns the command line by which cmd.exe runs a batch file with
// arguments and nothing else, whatever characters they hold.
//
// The interpreter knows no escape that holds everywhere, so arguments stand in
// quotes, a quote in them is doubled, and a % is parted from what follows by
// %cd:~,%, which is empty: else %NAME% would be replaced by a variable even
// there. Delayed expansion, which would do the same to !NAME!, is turned off,
// and so are the programs of the registry's AutoRun.
//
// Source: the same rules as in Rust's standard library since CVE-2024-24576.
func batchLine(interpreter, script string, args []string) (string, error) {
	if strings.ContainsAny(script, "\"\r\n\x00%") || strings.HasSuffix(script, `\`) {
		return "", errUnquotable
	}
	var b strings.Builder
	b.WriteString(`"` + interpreter + `" /e:ON /v:OFF /d /c ""` + script + `"`)
	for _, arg := range args {
		if strings.ContainsAny(arg, "\r\n\x00") {
			return "", errUnquotable
		}
		b.WriteByte(' ')
		appendBatchArg(&b, arg)
	}
	b.WriteByte('"')
	return b.String(), nil
}

// appendBatchArg writes one argument, so that a program that splits its command
// line as C programs do gets it back. Backslashes count double before a quote.
func appendBatchArg(b *strings.Builder, arg string) {
	b.WriteByte('"')
	backslashes := 0
	for i := range len(arg) {
		switch arg[i] {
		case '\\':
			backslashes++
		case '"':
			b.WriteString(strings.Repeat(`\`, backslashes) + `"`)
			backslashes = 0
		case '%':
			b.WriteString("%%cd:~,")
			backslashes = 0
		default:
			backslashes = 0
		}
		b.WriteByte(arg[i])
	}
	b.WriteString(strings.Repeat(`\`, backslashes) + `"`)
}
