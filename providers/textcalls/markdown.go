package textcalls

// A markdown follows the text of an answer to know where it shows code.
type markdown struct {
	words  bool // there were any
	start  bool // only spaces since the line began; true at first
	indent int  // of these spaces
	ticks  int  // of the run that was just passed
	first  bool // the run began its line
	fence  int  // ticks that opened the fence; 0: not in one
	quote  bool // the line is a quotation
	inline int  // ticks that opened the code in this line; 0: not in it
}

// code reports whether a form that begins with c is only shown here.
func (m *markdown) code(c byte) bool {
	if c == '`' {
		return m.fence > 0 || m.ticks > 0 || !m.start || m.quote
	}
	m.settle()
	return m.fence > 0 || m.inline > 0 || m.quote || c != '<' && m.indent >= 4 // a block of code by its indentation
}

// pass takes text.
func (m *markdown) pass(text []byte) {
	for _, c := range text {
		m.words = m.words || c > ' '
		if c == '`' {
			if m.ticks == 0 {
				m.first = m.start
			}
			m.ticks++
			m.start = false
			continue
		}
		m.settle()
		switch {
		case c == '\n':
			m.start, m.indent, m.inline, m.quote = true, 0, 0, false
		case m.start && c == ' ':
			m.indent++
		case m.start && c == '\t':
			m.indent += 4
		case c != '\r':
			m.quote = m.quote || m.start && c == '>'
			m.start = false
		}
	}
}

// settle ends a run of ticks.
func (m *markdown) settle() {
	n := m.ticks
	m.ticks = 0
	switch {
	case n == 0:
	case m.fence > 0:
		if m.first && n >= m.fence {
			m.fence = 0
		}
	case m.first && n >= 3:
		m.fence = n
	case m.inline == 0:
		m.inline = n
	case m.inline == n:
		m.inline = 0
	}
}
