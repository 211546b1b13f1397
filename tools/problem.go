package tools

// A Problem is why a call could not do what it was asked, told to the model in one sentence with what to try.
type Problem struct {
	Code    string // a stable word for programs, as "not_found"
	Message string // one sentence; no host path, no Go error text
	Try     string // what to call instead; "" when there is nothing
}

// Error writes "code: message; try: what".
func (p *Problem) Error() string {
	s := p.Code + ": " + p.Message
	if p.Try != "" {
		s += "; try: " + p.Try
	}
	return s
}
