package insight

// insightRules is the table of what is looked for, by dimension. A rule takes part where its files are.
var insightRules = []dimensionRule{
	{"architecture", mutual},
	{"architecture", cycles},
	{"architecture", hub},
	{"architecture", large},
	{"concurrency", func(s *survey) []found { return s.looks(concurrencySigns) }},
	{"errors", func(s *survey) []found { return s.looks(errorSigns) }},
	{"performance", func(s *survey) []found { return s.looks(performanceSigns) }},
	{"security", func(s *survey) []found { return s.looks(securitySigns) }},
	{"testing", func(s *survey) []found { return s.looks(testingSigns) }},
	{"testing", untested},
}
