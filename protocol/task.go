package protocol

import "github.com/go-json-experiment/json/jsontext"

// ExtensionTasks identifies the tasks extension, and ResultTask is the
// resultType of a result that stands for one.
//
// Source: the tasks extension, "Polymorphic Results".
const (
	ExtensionTasks = "io.modelcontextprotocol/tasks"
	ResultTask     = "task"
)

// Methods of the tasks extension.
const (
	MethodGetTask     = "tasks/get"
	MethodUpdateTask  = "tasks/update"
	MethodCancelTask  = "tasks/cancel"
	MethodTaskChanged = "notifications/tasks"
)

// A TaskStatus says how far a task is.
type TaskStatus string

// The statuses of a task. The last three are final.
const (
	TaskWorking       TaskStatus = "working"
	TaskInputRequired TaskStatus = "input_required"
	TaskCompleted     TaskStatus = "completed" // also when the tool reported a failure
	TaskFailed        TaskStatus = "failed"    // by a JSON-RPC error
	TaskCancelled     TaskStatus = "cancelled"
)

// A Task is work that goes on after the response to the request that started
// it.
//
// Source: the tasks extension, "Tasks".
type Task struct {
	TaskID        string                  `json:"taskId"`
	Status        TaskStatus              `json:"status"`
	StatusMessage string                  `json:"statusMessage,omitempty"`
	CreatedAt     string                  `json:"createdAt,omitempty"`     // ISO 8601
	LastUpdatedAt string                  `json:"lastUpdatedAt,omitempty"` // ISO 8601
	TTL           *TTL                    `json:"ttlMs,omitzero"`          // nil: no limit
	PollInterval  TTL                     `json:"pollIntervalMs,omitzero"` // 0: not said
	InputRequests map[string]InputRequest `json:"inputRequests,omitempty"` // TaskInputRequired
	Result        jsontext.Value          `json:"result,omitzero"`         // TaskCompleted
	Error         *Error                  `json:"error,omitzero"`          // TaskFailed
	Meta          Meta                    `json:"_meta,omitzero"`
	Extra         jsontext.Value          `json:",embed"`
}

// TaskParams names a task, and answers what it asks when it is updated.
type TaskParams struct {
	TaskID         string         `json:"taskId"`
	InputResponses map[string]any `json:"inputResponses,omitempty"`
}
