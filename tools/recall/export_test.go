package recall

// The results of the tools, for tests.
type (
	History        = history
	Remembered     = remembered
	RememberedItem = rememberedItem
)
