package overview

import (
	"regexp"
	"strings"
)

// A licence has a name and a text by which it is recognised, in lower case and with single spaces.
type licence struct {
	spdx string
	has  []string // all of them
	not  []string // none of them
}

// licences are tried in order. Those that contain the words of another one come first.
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
	{spdx: "0BSD", has: []string{"for any purpose with or without fee"}, not: []string{"provided that the above"}},
	{spdx: "ISC", has: []string{"for any purpose with or without fee"}},
	{spdx: "BSD-4-Clause", has: []string{"redistribution and use in source and binary forms", "all advertising materials"}},
	{spdx: "BSD-3-Clause", has: []string{"redistribution and use in source and binary forms", "neither the name"}},
	{spdx: "BSD-3-Clause", has: []string{"redistribution and use in source and binary forms", "names of its contributors"}},
	{spdx: "BSD-2-Clause", has: []string{"redistribution and use in source and binary forms"}},
}

// mention matches a licence that a short text only names.
var mention = regexp.MustCompile(`\b(?:[AL]?GPL(?:[- ]?v?\d(?:\.\d)?)?|Apache(?:[- ]2(?:\.0)?)?|MPL[- ]?2\.0|MIT|BSD(?:-\d-Clause)?|ISC)\b`)

// shortText is a text that names a licence rather than being one, in bytes.
const shortText = 2000

// LicenceOf returns the SPDX name of the licence of which lines are the text, or its name as a short text mentions it,
// with the index of the line that shows it. It returns "" for a text that it does not recognise.
func LicenceOf(lines []string) (spdx string, at int) {
	text := strings.ToLower(strings.Join(strings.Fields(strings.Join(lines, " ")), " "))
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
	if len(text) < shortText {
		for i, s := range lines {
			if m := mention.FindString(s); m != "" {
				return m, i
			}
		}
	}
	return "", 0
}

// in reports whether a text is the licence. What decides comes early.
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
	// a licence of GNU has its title first; its text mentions the others
	return !strings.HasPrefix(l.has[0], "gnu") || strings.Index(head, l.has[0]) == strings.Index(head, "gnu ")
}
