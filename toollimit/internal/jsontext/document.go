package jsontext

import "strings"

// A node is a JSON value as a span of the text; next links the children of a value. Keys, numbers and strings are
// copied byte for byte, which keeps order, precision and escapes.
type node struct {
	at, end     int32
	key, keyEnd int32 // of a member of an object, quotes included
	first, next int32 // index of a node; 0: none
	kids        int32
}

// A Document is a parsed JSON text. Node 0 is unused, node 1 is the value.
type Document struct {
	Text  string
	nodes []node
}

// Parse parses a text that is valid JSON, without white space around it, and at most 2 GB long.
func Parse(text string) *Document {
	d := &Document{Text: text, nodes: make([]node, 1, 1+len(text)/16)}
	d.parse(0)
	return d
}

// MaxKeys is the number of members of the largest object.
func (d *Document) MaxKeys() (n int) {
	for i := range d.nodes[1:] {
		if node := &d.nodes[i+1]; d.Text[node.at] == '{' {
			n = max(n, int(node.kids))
		}
	}
	return n
}

// Elements counts the arrays that are members under a quoted key, and their elements. Marks of what a [Renderer] hid
// do not count.
func (d *Document) Elements(key string) (arrays, elements int) {
	for i := range d.nodes {
		n := &d.nodes[i]
		if n.end == 0 || d.Text[n.at] != '[' || d.Text[n.key:n.keyEnd] != key {
			continue
		}
		arrays++
		for kid := n.first; kid != 0; kid = d.nodes[kid].next {
			if !strings.HasPrefix(d.Text[d.nodes[kid].at:], `"… `) {
				elements++
			}
		}
	}
	return arrays, elements
}

// parse appends the value at a position and returns the position after it.
func (d *Document) parse(at int) int {
	n := len(d.nodes)
	d.nodes = append(d.nodes, node{at: int32(at)})
	switch d.Text[at] {
	case '{', '[':
		at = d.parseKids(n, at)
	case '"':
		at = d.stringEnd(at)
	default:
		for at < len(d.Text) && strings.IndexByte(",]} \t\r\n", d.Text[at]) < 0 {
			at++
		}
	}
	d.nodes[n].end = int32(at)
	return at
}

func (d *Document) parseKids(n, at int) int {
	object, last := d.Text[at] == '{', 0
	for at = d.space(at + 1); d.Text[at] != '}' && d.Text[at] != ']'; {
		key, keyEnd := 0, 0
		if object {
			key, keyEnd = at, d.stringEnd(at)
			at = d.space(d.space(keyEnd) + 1) // after the colon
		}
		kid := len(d.nodes)
		at = d.space(d.parse(at))
		d.nodes[kid].key, d.nodes[kid].keyEnd = int32(key), int32(keyEnd)
		if last == 0 {
			d.nodes[n].first = int32(kid)
		} else {
			d.nodes[last].next = int32(kid)
		}
		last = kid
		d.nodes[n].kids++
		if d.Text[at] == ',' {
			at = d.space(at + 1)
		}
	}
	return at + 1
}

func (d *Document) space(at int) int {
	for at < len(d.Text) && (d.Text[at] == ' ' || d.Text[at] == '\n' || d.Text[at] == '\t' || d.Text[at] == '\r') {
		at++
	}
	return at
}

// stringEnd returns the position after the string that begins at at.
func (d *Document) stringEnd(at int) int {
	for at++; d.Text[at] != '"'; at++ {
		if d.Text[at] == '\\' {
			at++
		}
	}
	return at + 1
}
