package anthropic

// Bounds of the service on marks.
const (
	maxMarks = 4
	lookBack = 18 // blocks from a mark to the one before it that the service surely finds; it looks at twenty
)

// mark marks where the request is cached, as the package's documentation says.
func (b *body) mark() {
	left := maxMarks
	switch cache := (&cacheControl{"ephemeral"}); {
	case len(b.System) > 0:
		b.System[len(b.System)-1].Cache = cache
		left--
	case len(b.Tools) > 0:
		b.Tools[len(b.Tools)-1].Cache = cache
		left--
	}
	newest := len(b.Messages) - 1
	if newest < 0 {
		return
	}
	before, digest := newest-2, -1 // the newest message of the request before: an answer lies between
	for i := range b.Messages {
		if b.Messages[i].digest {
			digest = i
		}
	}
	b.at(newest, -1)
	left--
	if before >= 0 && b.at(before, -1) {
		left--
	}
	if far := b.distance(before, newest); before >= 0 && far > lookBack {
		b.after(before, lookBack)
		left--
	}
	if left > 0 && digest >= 0 && digest != newest && digest != before {
		b.at(digest, -1)
	}
}

// at marks a block of a message, the last one for -1, or the one before it that can be marked. It reports whether there
// is one.
func (b *body) at(message, i int) bool {
	blocks := b.Messages[message].Content
	if i < 0 {
		i = len(blocks) - 1
	}
	for ; i >= 0; i-- {
		if blocks[i].raw == nil { // thinking cannot be marked
			blocks[i].Cache = &cacheControl{"ephemeral"}
			return true
		}
	}
	return false
}

// distance returns how many blocks follow the message from up to the end of the message to.
func (b *body) distance(from, to int) int {
	n := 0
	for i := max(from+1, 0); i <= to; i++ {
		n += len(b.Messages[i].Content)
	}
	return n
}

// after marks the block that follows a message by n blocks.
func (b *body) after(message, n int) {
	for i := message + 1; i < len(b.Messages); i++ {
		if size := len(b.Messages[i].Content); n > size {
			n -= size
			continue
		}
		b.at(i, n-1)
		return
	}
}
