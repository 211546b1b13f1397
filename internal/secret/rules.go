package secret

import "sync"

// A table is the rules by their literals.
type table struct {
	all    *literals
	marked *literals // the forms only
}

// rules returns the table of all rules, built on first use.
var rules = sync.OnceValue(func() table {
	var marked []*rule
	for i := range forms {
		marked = append(marked, forms[i].rules()...)
	}
	all := append(marked[:len(marked):len(marked)],
		&rule{literal: "PRIVATE KEY", find: privateKey},
		&rule{literal: "://", find: login},
		&rule{literal: "@tcp(", find: dsn},
		&rule{literal: "@unix(", find: dsn},
		&rule{literal: "jdbc:oracle:thin:", find: oracle},
		&rule{literal: "bearer", fold: true, find: bearer},
		&rule{literal: "basic", fold: true, find: basic},
		&rule{literal: "curl", find: curl},
		&rule{literal: "chpasswd", find: changed},
		&rule{literal: "authorization", fold: true, find: header},
		&rule{literal: "auth=(", find: pair},
		&rule{literal: "_auth", find: npmAuth},
		&rule{literal: "\"auth\"", find: registry},
		&rule{literal: "variable \"", find: variable},
		&rule{literal: string(privateLines), find: putty},
		&rule{literal: "BUNDLE_", find: bundled},
	)
	for _, o := range passwordOptions {
		all = append(all, &rule{literal: o.program, find: o.find})
	}
	for _, call := range signers {
		all = append(all, &rule{literal: call, find: signer})
	}
	for _, name := range keyMembers {
		all = append(all, &rule{literal: name, find: keyMember})
	}
	for _, number := range numbers() {
		all = append(all, &rule{literal: number, find: accountToken})
	}
	for _, stem := range stems() {
		all = append(all, &rule{literal: stem, fold: true, find: assigned})
	}
	return table{newLiterals(all), newLiterals(marked)}
})
