// Package faultsuite holds no code, only tests: every fault at every point of a
// connection, over every transport, in both eras, with nothing remembered of the
// server, its era or the other one. A fault costs at most the call that meets it;
// nothing hangs, nothing is left, no era is made up.
//
// A cell is one combination. Cells come from the tables of faults, points and
// wires; a rule leaves out what can't be and says why. To run one cell, name it:
//
//	go test ./conformance/faultsuite -run 'Point/HTTP_events/modern/call/in_the_body/reset'
package faultsuite
