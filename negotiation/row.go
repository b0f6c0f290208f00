package negotiation

// A Row is the row of the decision table that a verdict came from. Explain
// returns it; String is its text, as docs/eras.md prints the table.
type Row uint8

// The rows, in the order of the table.
const (
	NoRow Row = iota
	RowDiscover
	RowInvalidDiscover
	RowNoMutualVersion
	RowOtherResult
	RowUnsupportedMutual
	RowUnsupported
	RowModernError
	RowForeignModernError
	RowStdioError
	RowStdioTimeout
	RowStdioClosed
	RowAuthorize
	RowUnavailable
	RowUnreached
	RowNotModern
	RowMethodNotFound
	RowOther
	RowCanceled
	RowNarrowDemote
	RowNarrowRefused
	rowCount
)

var rowTexts = [rowCount]string{
	NoRow:                 "none",
	RowDiscover:           "valid DiscoverResult with a mutual modern version",
	RowInvalidDiscover:    "DiscoverResult-shaped but invalid",
	RowNoMutualVersion:    "DiscoverResult without a mutual modern version",
	RowOtherResult:        "a result that is not DiscoverResult-shaped",
	RowUnsupportedMutual:  "-32022 with a mutual modern version",
	RowUnsupported:        "-32022 without a mutual modern version",
	RowModernError:        "-32021 or -32020",
	RowForeignModernError: "a modern error under another request's id",
	RowStdioError:         "stdio: any other JSON-RPC error",
	RowStdioTimeout:       "stdio: timeout",
	RowStdioClosed:        "stdio: the process exited during the probe",
	RowAuthorize:          "HTTP 401 or 403",
	RowUnavailable:        "HTTP 408, 429 or 5xx",
	RowUnreached:          "HTTP: network error or timeout",
	RowNotModern:          "HTTP 400, 404 or 405 with a non-modern body",
	RowMethodNotFound:     "HTTP: any status with JSON-RPC -32601",
	RowOther:              "any other status or answer",
	RowCanceled:           "canceled by the caller",
	RowNarrowDemote:       "narrow rule: -32601, or HTTP 404, 405 or 501",
	RowNarrowRefused:      "narrow rule: no evidence of an era",
}

// String returns the row's text.
func (r Row) String() string {
	if r >= rowCount {
		r = NoRow
	}
	return rowTexts[r]
}

// Rows returns every row in the order of the table.
func Rows() []Row {
	rows := make([]Row, 0, rowCount-1)
	for r := NoRow + 1; r < rowCount; r++ {
		rows = append(rows, r)
	}
	return rows
}
