package picture

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/image/draw"
	"golang.org/x/image/webp"

	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/toollimit"
	"github.com/forayhq/foray/tools"
)

// Bounds of pictures.
const (
	// MaxFile is the size of the largest file that is read, in bytes.
	MaxFile = 32_000_000

	// maxSide is the longest side of a picture in pixels: what Anthropic's models before Claude Opus 4.7 see; see
	// docs.claude.com/en/docs/build-with-claude/vision. Others see about as much or less.
	maxSide = 1_568

	maxBytes  = 3_000_000  // encoded: 4 MB in base64, where the strictest service takes 5
	maxPixels = 50_000_000 // decoded: 200 MB of memory, for a moment
	leastSide = 1

	quality = 85 // of JPEG, where a photograph shows no difference
)

// extensions are those of files that hold pictures.
var extensions = []string{".png", ".jpg", ".jpeg", ".gif", ".webp"}

// IsName reports whether a file is a picture by its name.
func IsName(name string) bool {
	return slices.Contains(extensions, strings.ToLower(path.Ext(name)))
}

// Open reads the picture in a file of this machine. Its errors are [*tools.Problem].
func Open(file string) (toollimit.Image, error) {
	name := filepath.ToSlash(file)
	f, err := os.Open(file)
	if err != nil {
		return toollimit.Image{}, unreadable(name, err)
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return toollimit.Image{}, unreadable(name, err)
	case !info.Mode().IsRegular():
		return toollimit.Image{}, problem(name, "name a file with a picture", "is no file")
	}
	data, err := io.ReadAll(io.LimitReader(f, MaxFile+1))
	if err != nil {
		return toollimit.Image{}, unreadable(name, err)
	}
	return Of(name, data)
}

func unreadable(name string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return tools.Problemf("not_found", "check the path", "there is no file %s", line.Path(name))
	case errors.Is(err, fs.ErrPermission):
		return problem(name, "check who may read it", "may not be read")
	}
	return problem(name, "try again", "cannot be read")
}

func problem(name, try, format string, args ...any) error {
	return tools.Problemf("no_picture", try, "%s "+format, append([]any{line.Path(name)}, args...)...)
}

// At returns the picture at an address, which the service of the model fetches. Its size is unknown.
func At(address string) (toollimit.Image, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil {
		return toollimit.Image{}, tools.Problemf("no_picture", "an address like https://example.org/a.png, or a file",
			"%s is not the address of a picture that a service can fetch", line.Truncate(line.Single(address), maxShown))
	}
	return toollimit.Image{Name: address, URL: address}, nil
}

// maxShown bounds what an error repeats of an address, in bytes.
const maxShown = 200

// Of returns the picture that data encodes, called name. Its errors are [*tools.Problem].
func Of(name string, data []byte) (toollimit.Image, error) {
	form := http.DetectContentType(data)
	switch {
	case len(data) == 0:
		return toollimit.Image{}, problem(name, "name a file with a picture", "is empty")
	case len(data) > MaxFile:
		return toollimit.Image{}, problem(name, "scale it down", "is larger than %s", line.Bytes(MaxFile))
	case codecs[form].size == nil:
		try := "convert it to PNG"
		if strings.HasPrefix(form, "text/") {
			try = "name a file with a picture"
		}
		return toollimit.Image{}, problem(name, try, "is no PNG, JPEG, GIF or WebP: it looks like %s", form)
	}
	codec := codecs[form]
	size, err := codec.size(bytes.NewReader(data))
	switch {
	case err != nil:
		return toollimit.Image{}, broken(name, form, data)
	case size.Width < leastSide || size.Height < leastSide:
		return toollimit.Image{}, problem(name, "name another", "has no pixels")
	case int64(size.Width)*int64(size.Height) > maxPixels:
		return toollimit.Image{}, problem(name, "scale it down", "has %d×%d pixels; at most %s are decoded",
			size.Width, size.Height, line.Number(maxPixels))
	}
	pixels, err := codec.decode(bytes.NewReader(data))
	if err != nil {
		return toollimit.Image{}, broken(name, form, data)
	}
	im := toollimit.Image{Name: name, Type: form, Width: size.Width, Height: size.Height, Data: data}
	moves := animated(form, data)
	if !moves && max(size.Width, size.Height) <= maxSide && len(data) <= maxBytes {
		return im, nil
	}
	if pixels = scaled(pixels); pixels.Bounds().Dx() < im.Width {
		im.Note = fmt.Sprintf("reduced from %d×%d", im.Width, im.Height)
	}
	if moves {
		im.Note = strings.TrimPrefix(im.Note+", the first frame of an animation", ", ")
	}
	im.Width, im.Height = pixels.Bounds().Dx(), pixels.Bounds().Dy()
	if im.Data, im.Type, err = encode(pixels, form == "image/jpeg"); err != nil {
		return toollimit.Image{}, problem(name, "convert it to PNG", "cannot be reduced: %v", err)
	}
	return im, nil
}

// codecs read the forms that services take, by MIME type.
var codecs = map[string]struct {
	size   func(io.Reader) (image.Config, error)
	decode func(io.Reader) (image.Image, error)
}{
	"image/png":  {png.DecodeConfig, png.Decode},
	"image/jpeg": {jpeg.DecodeConfig, jpeg.Decode},
	"image/gif":  {gif.DecodeConfig, gif.Decode},
	"image/webp": {webp.DecodeConfig, webp.Decode},
}

// broken says why a picture cannot be decoded.
func broken(name, form string, data []byte) error {
	if animated(form, data) { // the first frame of a WebP cannot be had alone
		return problem(name, "convert it to PNG", "is an animation")
	}
	return problem(name, "make it again, or name another", "is damaged: it begins as %s and cannot be decoded", form)
}

// animated reports whether a picture has several frames, by the marks of its form: a loop or a second frame in a GIF,
// the chunk acTL before the pixels of a PNG, a flag in the header of a WebP.
func animated(form string, data []byte) bool {
	switch form {
	case "image/gif":
		return bytes.Contains(data, []byte("NETSCAPE2.0")) || bytes.Count(data, []byte("\x00\x21\xf9\x04")) > 1
	case "image/png":
		header, _, _ := bytes.Cut(data, []byte("IDAT"))
		return bytes.Contains(header, []byte("acTL"))
	case "image/webp":
		return len(data) > 20 && string(data[12:16]) == "VP8X" && data[20]&2 != 0
	}
	return false
}

// scaled returns pixels, reduced to at most maxSide.
func scaled(pixels image.Image) image.Image {
	from := pixels.Bounds()
	long := max(from.Dx(), from.Dy())
	if long <= maxSide {
		return pixels
	}
	to := image.NewNRGBA(image.Rect(0, 0, max(from.Dx()*maxSide/long, leastSide), max(from.Dy()*maxSide/long, leastSide)))
	draw.BiLinear.Scale(to, to.Bounds(), pixels, from, draw.Src, nil)
	return to
}

// encode returns pixels as PNG, or as JPEG if they are a photograph or that would be too large.
func encode(pixels image.Image, photograph bool) (data []byte, form string, err error) {
	var b bytes.Buffer
	if !photograph {
		if err := png.Encode(&b, pixels); err != nil || b.Len() <= maxBytes {
			return b.Bytes(), "image/png", err
		}
		b.Reset()
	}
	paper := image.NewRGBA(pixels.Bounds()) // JPEG has no transparency
	draw.Draw(paper, paper.Bounds(), image.White, image.Point{}, draw.Src)
	draw.Draw(paper, paper.Bounds(), pixels, pixels.Bounds().Min, draw.Over)
	err = jpeg.Encode(&b, paper, &jpeg.Options{Quality: quality})
	return b.Bytes(), "image/jpeg", err
}
