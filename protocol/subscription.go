package protocol

import "github.com/go-json-experiment/json/jsontext"

// Methods of change notifications.
const (
	MethodListen               = "subscriptions/listen" // modern
	MethodAcknowledged         = "notifications/subscriptions/acknowledged"
	MethodToolsListChanged     = "notifications/tools/list_changed"
	MethodPromptsListChanged   = "notifications/prompts/list_changed"
	MethodResourcesListChanged = "notifications/resources/list_changed"
	MethodResourceUpdated      = "notifications/resources/updated"
	MethodRootsListChanged     = "notifications/roots/list_changed" // legacy, from the client
)

// A SubscriptionFilter names the changes to be told of. The zero value names
// none.
//
// Source: MCP 2026-07-28, patterns/subscriptions, "Notification Filter".
type SubscriptionFilter struct {
	ToolsListChanged      bool           `json:"toolsListChanged,omitzero"`
	PromptsListChanged    bool           `json:"promptsListChanged,omitzero"`
	ResourcesListChanged  bool           `json:"resourcesListChanged,omitzero"`
	ResourceSubscriptions []string       `json:"resourceSubscriptions,omitempty"` // URIs
	TaskIDs               []string       `json:"taskIds,omitempty"`               // of the tasks extension
	Extra                 jsontext.Value `json:",embed"`
}

// ListenParams open a subscription, and acknowledge what of it is granted.
type ListenParams struct {
	Notifications SubscriptionFilter `json:"notifications"`
	Meta          Meta               `json:"_meta,omitzero"`
}
