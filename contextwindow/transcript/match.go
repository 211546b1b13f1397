package transcript

// A question is what the calls of one message with one id wait for.
type question struct {
	results []int // indices of results, in the order in which they came; at most one a call
	calls   int
	taken   int // results that were written behind their calls
}

// match finds the results of all calls.
func (r *repair) match() {
	first := make(map[string]*question)
	for i := range r.in {
		r.ask(i, first)
	}
	newest := make(map[string]*question)
	for i := range r.in {
		for j, q := range r.asked[i] {
			newest[valid(r.in[i].Calls[j].ID)] = q
		}
		if r.in[i].Role != Tool {
			continue
		}
		id := valid(r.in[i].CallID)
		q := newest[id]
		if q == nil {
			q = first[id]
		}
		r.answer(i, q)
	}
}

// ask notes what the calls of a message wait for, and what waited for an id first.
func (r *repair) ask(i int, first map[string]*question) {
	if r.in[i].Role != Assistant || len(r.in[i].Calls) == 0 {
		return
	}
	questions := make(map[string]*question, len(r.in[i].Calls))
	for _, call := range r.in[i].Calls {
		id := valid(call.ID)
		if questions[id] == nil {
			questions[id] = new(question)
		}
		if first[id] == nil {
			first[id] = questions[id]
		}
		questions[id].calls++
		r.asked[i] = append(r.asked[i], questions[id])
	}
}

// answer notes a result for what waits for it, if anything does.
func (r *repair) answer(i int, q *question) {
	if q == nil {
		return
	}
	r.answers[i] = true
	if last := len(q.results) - 1; len(q.results) == q.calls {
		r.didf("Message %d, a result of call %q, went: message %d is a later one.", q.results[last], r.in[i].CallID, i)
		r.replaced[q.results[last]] = true
		q.results[last] = i
		return
	}
	q.results = append(q.results, i)
}
