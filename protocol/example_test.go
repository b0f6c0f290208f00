package protocol_test

import (
	"fmt"
	"log"

	"github.com/go-json-experiment/json"

	"github.com/mcpera/mcpera/protocol"
)

// A result holds blocks of several kinds; what this package does not know is kept
// as it came.
func ExampleContents() {
	var result protocol.CallToolResult // of CallTool
	if err := json.Unmarshal([]byte(`{"content":[
		{"type":"text","text":"Here is the map."},
		{"type":"image","data":"AAECAw==","mimeType":"image/png"},
		{"type":"resource_link","uri":"file:///maps/oslo.png","name":"oslo"},
		{"type":"hologram","depth":3}]}`), &result); err != nil {
		log.Fatal(err)
	}

	for _, content := range result.Content {
		switch block := content.(type) {
		case *protocol.TextContent:
			fmt.Println(block.Text)
		case *protocol.ImageContent:
			fmt.Println(block.MIMEType, "of", len(block.Data), "bytes")
		case *protocol.ResourceLink:
			fmt.Println("read it with ReadResource:", block.URI)
		case *protocol.UnknownContent:
			fmt.Println("a block of type", block.Type)
		}
	}
	// Output:
	// Here is the map.
	// image/png of 4 bytes
	// read it with ReadResource: file:///maps/oslo.png
	// a block of type hologram
}

// A list costs its bad elements only, and says why.
func ExampleList() {
	var result protocol.ListToolsResult // of ListTools
	if err := json.Unmarshal([]byte(`{"tools":[{"name":"echo","inputSchema":{}},{"name":7}]}`), &result); err != nil {
		log.Fatal(err)
	}
	for _, tool := range result.Tools.Items {
		fmt.Println(tool.Name)
	}
	fmt.Println(len(result.Tools.Dropped), "left out")
	// Output:
	// echo
	// 1 left out
}
