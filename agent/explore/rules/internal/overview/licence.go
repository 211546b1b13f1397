package overview

import (
	"slices"
	"strings"

	"github.com/forayhq/foray/internal/lazyregexp"
)

// A licence is known by pieces of its text, in lower case and with single spaces.
type licence struct {
	spdx string
	has  []string // all of them
	not  []string // none of them
}

// licences are tried in order: a licence whose text contains another's words comes first.
var licences = []licence{
	{spdx: "AGPL-3.0", has: []string{"gnu affero general public license"}},
	{spdx: "LGPL-3.0", has: []string{"gnu lesser general public license", "version 3"}},
	{spdx: "LGPL-2.1", has: []string{"gnu lesser general public license", "version 2.1"}},
	{spdx: "LGPL-2.0", has: []string{"gnu library general public license"}},
	{spdx: "GPL-3.0", has: []string{"gnu general public license", "version 3"}},
	{spdx: "GPL-2.0", has: []string{"gnu general public license", "version 2"}},
	{spdx: "Apache-2.0", has: []string{"apache license", "version 2.0"}},
	{spdx: "MPL-2.0", has: []string{"mozilla public license", "2.0"}},
	{spdx: "EPL-2.0", has: []string{"eclipse public license", "2.0"}},
	{spdx: "EPL-1.0", has: []string{"eclipse public license"}},
	{spdx: "EUPL-1.2", has: []string{"european union public licence"}},
	{spdx: "BSL-1.0", has: []string{"boost software license"}},
	{spdx: "BUSL-1.1", has: []string{"business source license"}},
	{spdx: "SSPL-1.0", has: []string{"server side public license"}},
	{spdx: "Elastic-2.0", has: []string{"elastic license 2.0"}},
	{spdx: "Artistic-2.0", has: []string{"artistic license 2.0"}},
	{spdx: "PSF-2.0", has: []string{"python software foundation license"}},
	{spdx: "MS-PL", has: []string{"microsoft public license"}},
	{spdx: "UPL-1.0", has: []string{"universal permissive license"}},
	{spdx: "Unlicense", has: []string{"free and unencumbered software released into the public domain"}},
	{spdx: "CC0-1.0", has: []string{"cc0 1.0 universal"}},
	{spdx: "CC-BY-SA-4.0", has: []string{"attribution-sharealike 4.0"}},
	{spdx: "CC-BY-4.0", has: []string{"attribution 4.0 international"}},
	{spdx: "WTFPL", has: []string{"do what the fuck you want to public license"}},
	{spdx: "Zlib", has: []string{"this software is provided 'as-is'", "altered source versions"}},
	{spdx: "MIT-0", has: []string{"permission is hereby granted, free of charge"}, not: []string{"shall be included"}},
	{spdx: "MIT", has: []string{"permission is hereby granted, free of charge"}},
	{spdx: "MIT", has: []string{"the mit license"}},
	{spdx: "MIT", has: []string{"mit license"}},
	{spdx: "curl", has: []string{"for any purpose with or without fee", "except as contained in this notice"}},
	{spdx: "0BSD", has: []string{"for any purpose with or without fee"}, not: []string{"provided that the above"}},
	{spdx: "ISC", has: []string{"for any purpose with or without fee"}},
	{spdx: "BSD-4-Clause", has: []string{"redistribution and use in source and binary forms", "all advertising materials"}},
	{spdx: "BSD-3-Clause", has: []string{"redistribution and use in source and binary forms", "neither the name"}},
	{spdx: "BSD-3-Clause", has: []string{"redistribution and use in source and binary forms", "names of its contributors"}},
	{spdx: "BSD-3-Clause", has: []string{"redistribution and use in source and binary forms", "names of the contributors"}},
	{spdx: "BSD-2-Clause", has: []string{"redistribution and use in source and binary forms"}},
}

// mention matches the name of a licence in a short text.
var mention = lazyregexp.New(`\b(?:[AL]?GPL(?:[- ]?v?\d(?:\.\d)?)?|Apache(?:[- ]2(?:\.0)?)?|MPL[- ]?2\.0|MIT|Unlicense|BSD(?:-\d-Clause)?|ISC)\b`)

// shortText is the length, in bytes, below which a text may just name its licence.
const shortText = 2000

// LicenceOf recognises the text of a licence and returns its SPDX name, with the index of a line that shows it. A short
// text need only name one or more licences: "MIT and Apache-2.0". LicenceOf returns "" for an unknown text.
func LicenceOf(lines []string) (spdx string, at int) {
	text := strings.ToLower(strings.Join(strings.Fields(strings.Join(lines, " ")), " "))
	names, at := mentions(lines)
	if len(text) < shortText && len(names) > 1 {
		return strings.Join(names, " and "), at
	}
	for _, l := range licences {
		if !l.in(text) {
			continue
		}
		first := strings.Join(strings.Fields(l.has[0])[:2], " ")
		for i, s := range lines {
			if strings.Contains(strings.ToLower(s), first) {
				return l.spdx, i
			}
		}
		return l.spdx, 0
	}
	if len(text) < shortText && len(names) > 0 {
		return names[0], at
	}
	return "", 0
}

// mentions returns the licences that the first line to name any names.
func mentions(lines []string) (names []string, at int) {
	for i, s := range lines {
		for _, m := range mention.FindAllString(s, -1) {
			if !slices.Contains(names, m) {
				names = append(names, m)
			}
		}
		if len(names) > 0 {
			return names, i
		}
	}
	return nil, 0
}

// in reports whether a text is the licence, by its first part.
func (l licence) in(text string) bool {
	head := text[:min(len(text), 4*shortText)]
	for _, s := range l.has {
		if !strings.Contains(head, s) {
			return false
		}
	}
	for _, s := range l.not {
		if strings.Contains(text, s) {
			return false
		}
	}
	// the text of each GNU licence mentions the others, but only after its own title
	return !strings.HasPrefix(l.has[0], "gnu") || strings.Index(head, l.has[0]) == strings.Index(head, "gnu ")
}
