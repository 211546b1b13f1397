package locate_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing/fstest"

	"github.com/forayhq/foray/tools/locate"
	"github.com/forayhq/foray/tools/tree"
)

func ExampleTool() {
	shop := fstest.MapFS{
		"shop/cart.py":  {Data: []byte("class Cart:\n    def total(self):\n        return rounded(self.sum)\n")},
		"shop/price.py": {Data: []byte("def rounded(value):\n    \"\"\"Rounds a price.\"\"\"\n    return round(value, 2)\n")},
		"shop/mail.py":  {Data: []byte("def send(address):\n    connect(address)\n")},
	}
	tool := locate.Tool(tree.Open(shop, nil), nil)
	result, err := tool.Call(context.Background(), json.RawMessage(`{"query": "Where is a price rounded?", "k": 2}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, item := range result.(*locate.Result).Items {
		fmt.Printf("%s:%d-%d %s\n", item.Path, item.Start, item.End, item.Symbol)
	}
	// Output:
	// shop/price.py:1-3 rounded
	// shop/cart.py:2-3 Cart.total
}
