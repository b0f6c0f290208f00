// Package soak holds no code, only a test that goes on for as long as one wants:
// many clients at once, over HTTP and to processes, in both eras, against
// servers that break in random ways. Every call ends once, in a result or a
// typed error; nothing piles up and nothing is left.
//
// The seed of the faults is printed; SOAK_SEED sets it. SOAK sets for how long
// it runs, as in SOAK=3m; without it, it is short.
package soak
