package gitrepo

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/forayhq/foray/tools/tree"
)

// objects is a pool of git cat-file processes that read objects by name. They start on demand. It is safe for
// concurrent use.
type objects struct {
	start func() *exec.Cmd
	most  int // the largest number of processes

	mu     sync.Mutex
	free   *sync.Cond // signals an idle process, room for one more, or the close
	idle   []*reader
	all    map[*reader]bool
	closed bool
}

// A reader is one process of git cat-file. It has one owner at a time.
type reader struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// maxReaders bounds the processes, because each has its own cache of pack windows.
const maxReaders = 8

// newObjects returns a pool of up to most processes, each made by start.
func newObjects(most int, start func() *exec.Cmd) *objects {
	o := &objects{most: min(max(most, 1), maxReaders), all: map[*reader]bool{}, start: start}
	o.free = sync.NewCond(&o.mu)
	return o
}

type object struct {
	kind string
	data []byte
}

// objectDeadline bounds the time for one object.
const objectDeadline = 30 * time.Second

// get reads the object with a name, which must not contain a newline. It reads into buf if that is large enough.
func (o *objects) get(name string, buf []byte) (object, error) {
	p, err := o.take()
	if err != nil {
		return object{}, err
	}
	// git waits forever for a FIFO in place of an object.
	stop := time.AfterFunc(objectDeadline, func() { _ = p.cmd.Process.Kill() })
	obj, err := p.ask(name, buf)
	alive := stop.Stop()
	if err != nil && !errors.Is(err, tree.ErrAbsent) || !alive {
		o.drop(p)
		if o.isClosed() {
			return object{}, fs.ErrClosed
		}
		if err == nil {
			err = errors.New("reading an object took too long")
		}
		return object{}, err
	}
	o.give(p)
	return obj, err
}

func (o *objects) take() (*reader, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for {
		switch {
		case o.closed:
			return nil, fs.ErrClosed
		case len(o.idle) > 0:
			p := o.idle[len(o.idle)-1]
			o.idle = o.idle[:len(o.idle)-1]
			return p, nil
		case len(o.all) < o.most:
			p, err := newReader(o.start())
			if err == nil {
				o.all[p] = true
			}
			return p, err
		}
		o.free.Wait()
	}
}

func newReader(cmd *exec.Cmd) (*reader, error) {
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("starting git: %w", err)
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, fmt.Errorf("starting git: %w", err)
	}
	return &reader{cmd, in, bufio.NewReaderSize(out, 64<<10)}, nil
}

// give puts a process back. If the pool was closed meanwhile, give drops the process, since close waits for that.
func (o *objects) give(p *reader) {
	o.mu.Lock()
	closed := o.closed
	if !closed {
		o.idle = append(o.idle, p)
		o.free.Signal()
	}
	o.mu.Unlock()
	if closed {
		o.drop(p)
	}
}

// drop ends a process that must not be used again, such as one with an unread answer.
func (o *objects) drop(p *reader) {
	p.end()
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.all, p)
	o.free.Broadcast()
}

func (o *objects) isClosed() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.closed
}

// close ends all processes, including those in use, and waits for them.
func (o *objects) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	for _, p := range o.idle {
		p.end()
		delete(o.all, p)
	}
	o.idle = nil
	for p := range o.all {
		_ = p.cmd.Process.Kill() // its owner drops it
	}
	o.free.Broadcast()
	for len(o.all) > 0 {
		o.free.Wait()
	}
}

func (p *reader) end() {
	_ = p.in.Close()
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait() // killed on purpose: the status means nothing
}

func (p *reader) ask(name string, buf []byte) (object, error) {
	if _, err := io.WriteString(p.in, name+"\n"); err != nil {
		return object{}, fmt.Errorf("asking git for an object: %w", err)
	}
	line, err := p.out.ReadSlice('\n')
	if err != nil {
		return object{}, fmt.Errorf("reading an object: %w", err)
	}
	head, err := parseHeader(string(line[:len(line)-1]))
	if err != nil {
		return object{}, err
	}
	if int64(cap(buf)) < head.size {
		buf = make([]byte, head.size)
	}
	buf = buf[:head.size]
	if _, err := io.ReadFull(p.out, buf); err != nil {
		return object{}, fmt.Errorf("reading an object: %w", err)
	}
	if c, err := p.out.ReadByte(); err != nil || c != '\n' {
		return object{}, errors.New("reading an object: unexpected end")
	}
	return object{head.kind, buf}, nil
}

// A header is the first line of an answer of cat-file.
type header struct {
	name, kind string
	size       int64
}

// maxObject is the size of the largest object that may be read, in bytes.
const maxObject = 1 << 30

// parseHeader reads "<name> <kind> <size>". It returns [tree.ErrAbsent] for "<name> missing" and "<name> ambiguous".
func parseHeader(line string) (header, error) {
	if strings.HasSuffix(line, " missing") || strings.HasSuffix(line, " ambiguous") {
		return header{}, tree.ErrAbsent
	}
	name, rest, _ := strings.Cut(line, " ")
	kind, digits, ok := strings.Cut(rest, " ")
	size, err := strconv.ParseInt(digits, 10, 64)
	switch {
	case !ok || err != nil || size < 0 || !isHash(name):
		return header{}, errors.New("reading an object: unexpected output from git")
	case size > maxObject:
		return header{}, fmt.Errorf("reading an object: it is larger than %d bytes", maxObject)
	}
	return header{name, kind, size}, nil
}
