package cases

import (
	"fmt"
	"slices"
	"testing"
)

func TestSplit(t *testing.T) {
	var all []*string
	for i := range 2000 {
		all = append(all, new(fmt.Sprintf("django__django-%d", 11_000+i)))
	}
	split := func(name string) []*string {
		t.Helper()
		part, err := Split(all, name, func(id *string) string { return *id })
		if err != nil {
			t.Fatal(err)
		}
		return part
	}
	dev, test := split("dev"), split("test")
	if share := float64(len(test)) / float64(len(all)); len(dev)+len(test) != len(all) || share < .2 || share > .3 {
		t.Errorf("%d dev, %d test", len(dev), len(test))
	}
	if len(split("all")) != len(all) {
		t.Error("all is not all")
	}
	for _, id := range test {
		if slices.Contains(dev, id) {
			t.Fatalf("%s is in both", *id)
		}
	}
	if _, err := Split(all, "train", func(id *string) string { return *id }); err == nil {
		t.Error("an unknown split is no error")
	}
}
