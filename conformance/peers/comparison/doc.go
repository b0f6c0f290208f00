// Package comparison puts the three Go clients before the same servers and
// checks that README.md tells what each of them did. It has no test for leaks:
// what a peer leaves behind is none of its business unless a row says so.
package comparison
