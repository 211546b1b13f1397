package main

import (
	"slices"
	"testing"
)

func TestWithQuestion(t *testing.T) {
	for _, c := range []struct{ args, want []string }{
		{[]string{"explore", "--trace vs --verbose"}, []string{"explore", "--", "--trace vs --verbose"}},
		{[]string{"explore", "--repo", ".", "-v or -q?"}, []string{"explore", "--repo", ".", "--", "-v or -q?"}},
		{[]string{"explore", "--repo", "-my dir"}, []string{"explore", "--repo", "-my dir"}},
		{[]string{"explore", "--note=two words"}, []string{"explore", "--note=two words"}},
		{[]string{"explore", "--", "--a b"}, []string{"explore", "--", "--a b"}},
		{[]string{"--a b"}, []string{"--a b"}},
		{nil, nil},
	} {
		if got := withQuestion(c.args); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q", c.args, got)
		}
	}
}
