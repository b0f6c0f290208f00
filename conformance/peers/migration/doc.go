// Package migration has the code of docs/migrate-go-sdk.md and
// docs/migrate-mcp-go.md, and shows that both sides of each page come to the
// same.
package migration
