// Package oidc has tests in which clients log in at a real authorization server,
// the npm package oidc-provider, and use a server that asks it what tokens are
// worth.
//
// After a change of npm/package.json write the lock file anew, without the address
// of a registry:
//
//	npm install --package-lock-only --omit-lockfile-registry-resolved
package oidc
