package recall

// The results of the tools, for tests.
type (
	Excerpt        = excerpt
	History        = history
	Remembered     = remembered
	RememberedItem = rememberedItem
)
