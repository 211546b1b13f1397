package transcript

// A question collects the results for the calls of one message that share an id.
type question struct {
	results []int // indexes of results in their order, at most one per call
	calls   int
	taken   int // results already written after their calls
}

// match finds the results of all calls: a result answers the newest call with its id before it, or else the first one
// after it.
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

// ask opens the questions of a message, and remembers the first question for each id.
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

// answer records a result; if its question has all results, it replaces the last one.
func (r *repair) answer(i int, q *question) {
	if q == nil {
		return
	}
	r.answers[i] = true
	if last := len(q.results) - 1; len(q.results) == q.calls {
		r.didf("Message %d, a result of call %q, removed: message %d is a later one.", q.results[last], r.in[i].CallID, i)
		r.replaced[q.results[last]] = true
		q.results[last] = i
		return
	}
	q.results = append(q.results, i)
}
