package providers

import (
	"math"

	"github.com/forayhq/foray/toollimit"
)

// Vision is how a model sees pictures, and so how many tokens it counts for one. The zero value is a model that is not
// known to see any. A picture is reduced to Side and Short, and then counted in tiles; a picture of unknown size counts
// as one of 1,568 pixels on each side.
type Vision struct {
	Base  int     // tokens of each picture beside its tiles; below 0: the model sees none, whatever its name says
	Tile  int     // side of a tile in pixels; 0: a picture counts Base
	Each  float64 // tokens of a tile
	Most  int     // tiles that count at most; 0: all
	Side  int     // longest side that is looked at, in pixels; 0: any
	Short int     // the shorter side that is looked at, in pixels; 0: any
	Fetch bool    // the service fetches a picture at an address
	Crop  bool    // tiles have two thirds of the shorter side, from 256 pixels to Tile; up to 384 pixels are one tile
}

// GeneralVision counts a picture as open models do that look at patches of 28 pixels, such as Qwen2.5-VL.
var GeneralVision = Vision{Tile: 28, Each: 1, Most: 4_096}

// Sees reports whether the model takes pictures.
func (v Vision) Sees() bool { return v.Base > 0 || v.Base == 0 && v.Tile > 0 }

// ofBrackets is the size of the brackets around the words for a picture, in tokens.
const ofBrackets = 6

// unknownSide is the assumed side of a picture of unknown size, in pixels.
const unknownSide = 1_568

// Of a model that crops, in pixels.
const (
	leastCrop = 256 // smallest tile
	uncropped = 384 // longest side of a picture that is one tile
)

// Tokens returns how many tokens the model counts for a picture, or for the words in its place if it sees none.
func (v Vision) Tokens(im toollimit.Image) int {
	if !v.Sees() {
		return toollimit.Tokens(im.String()) + ofBrackets
	}
	width, height := float64(im.Width), float64(im.Height)
	if im.Width <= 0 || im.Height <= 0 {
		width, height = unknownSide, unknownSide
	}
	if v.Tile <= 0 {
		return max(v.Base, 1)
	}
	scale := 1.0
	if v.Side > 0 {
		scale = min(scale, float64(v.Side)/max(width, height))
	}
	if v.Short > 0 {
		scale = min(scale, float64(v.Short)/min(width, height))
	}
	width, height = width*scale, height*scale
	tile := float64(v.Tile)
	if v.Crop && max(width, height) > uncropped {
		tile = min(max(math.Floor(min(width, height)/1.5), leastCrop), tile)
	}
	tiles := math.Ceil(width/tile) * math.Ceil(height/tile)
	if v.Most > 0 {
		tiles = min(tiles, float64(v.Most))
	}
	return max(v.Base+int(math.Ceil(tiles*v.Each)), 1)
}
