package picture_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/forayhq/foray/internal/ostest"
	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/picture"
)

// noisy returns pixels that no encoding makes small.
func noisy(width, height int) *image.NRGBA {
	im, r := image.NewNRGBA(image.Rect(0, 0, width, height)), rand.New(rand.NewPCG(1, 2))
	for i := range im.Pix {
		im.Pix[i] = byte(r.IntN(256)) | 0x0f
	}
	return im
}

func encoded(t testing.TB, encode func(b *bytes.Buffer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := encode(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func pngOf(t testing.TB, im image.Image) []byte {
	return encoded(t, func(b *bytes.Buffer) error { return png.Encode(b, im) })
}

// A WebP of one pixel, as libwebp writes it.
const tinyWebP = "UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA"

func TestOf(t *testing.T) {
	ostest.SkipRaced(t)
	plain := image.NewPaletted(image.Rect(0, 0, 40, 30), color.Palette{color.White, color.Black})
	webp, err := base64.StdEncoding.DecodeString(tinyWebP)
	if err != nil {
		t.Fatal(err)
	}
	moving := encoded(t, func(b *bytes.Buffer) error {
		return gif.EncodeAll(b, &gif.GIF{Image: []*image.Paletted{plain, plain}, Delay: []int{1, 1}})
	})
	for name, c := range map[string]struct {
		data []byte
		want string // the description
		same bool   // the bytes are those given
	}{
		"png":        {pngOf(t, plain), "x, PNG, 40×30 pixels", true},
		"webp":       {webp, "x, WEBP, 1×1 pixels", true},
		"gif":        {encoded(t, func(b *bytes.Buffer) error { return gif.Encode(b, plain, nil) }), "x, GIF, 40×30 pixels", true},
		"animation":  {moving, "x, PNG, 40×30 pixels, the first frame of an animation", false},
		"wide":       {pngOf(t, noisy(3_136, 20)), "x, PNG, 1568×10 pixels, reduced from 3136×20", false},
		"thin":       {pngOf(t, noisy(4_000, 1)), "x, PNG, 1568×1 pixels, reduced from 4000×1", false},
		"heavy":      {pngOf(t, noisy(1_200, 1_200)), "x, JPEG, 1200×1200 pixels", false},
		"photograph": {encoded(t, func(b *bytes.Buffer) error { return jpeg.Encode(b, noisy(2_000, 1_000), nil) }), "x, JPEG, 1568×784 pixels, reduced from 2000×1000", false},
	} {
		t.Run(name, func(t *testing.T) {
			im, err := picture.Of("x", c.data)
			if err != nil {
				t.Fatal(err)
			}
			if got := im.String(); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
			if same := bytes.Equal(im.Data, c.data); same != c.same {
				t.Errorf("the same bytes: %v", same)
			}
			if len(im.Data) > 3_000_000 {
				t.Errorf("%d bytes", len(im.Data))
			}
			again, err := picture.Of("x", im.Data)
			if err != nil || !bytes.Equal(again.Data, im.Data) || again.Width != im.Width || again.Height != im.Height {
				t.Errorf("what was made is not taken as it is: %v, %v", again.String(), err)
			}
		})
	}
}

func TestRefused(t *testing.T) {
	ostest.SkipRaced(t)
	bomb := pngOf(t, image.NewGray(image.Rect(0, 0, 9_000, 9_000)))
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"empty":        {nil, "x is empty"},
		"text":         {[]byte("no picture"), "x is no PNG, JPEG, GIF or WebP: it looks like text/plain; charset=utf-8"},
		"svg":          {[]byte(`<?xml version="1.0"?><svg/>`), "x is no PNG, JPEG, GIF or WebP: it looks like text/xml; charset=utf-8"},
		"cut":          {pngOf(t, noisy(20, 20))[:200], "x is damaged: it begins as image/png and cannot be decoded"},
		"only a mark":  {[]byte("\x89PNG\r\n\x1a\n"), "x is damaged: it begins as image/png and cannot be decoded"},
		"100 MB":       {make([]byte, 100<<20), "x is larger than 32 MB"},
		"bomb":         {bomb, "x has 9000×9000 pixels; at most 50,000,000 are decoded"},
		"moving webp":  {[]byte("RIFF\x20\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\x00\x00ANIM"), "x is an animation"},
		"name of a jp": {[]byte("\xff\xd8\xff"), "x is damaged: it begins as image/jpeg and cannot be decoded"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := picture.Of("x", c.data)
			var problem *tools.Problem
			if !errors.As(err, &problem) || problem.Message != c.want || problem.Try == "" {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a.png")
	if err := os.WriteFile(file, pngOf(t, noisy(4, 4)), 0o600); err != nil {
		t.Fatal(err)
	}
	im, err := picture.Open(file)
	if err != nil || im.Name != filepath.ToSlash(file) || im.Width != 4 {
		t.Errorf("%s, %v", im.String(), err)
	}
	for file, want := range map[string]string{
		filepath.Join(dir, "b.png"): "not_found: there is no file ",
		dir:                         "no_picture: ",
	} {
		if _, err := picture.Open(file); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v", file, err)
		}
	}
}

func TestAt(t *testing.T) {
	if im, err := picture.At("https://example.org/a.png"); err != nil || im.URL == "" || im.Data != nil {
		t.Errorf("%+v, %v", im, err)
	}
	for _, address := range []string{"", "a.png", "http://example.org/a.png", "https://", "https://ann:secret@example.org/a.png", "file:///etc/passwd", "https://a\x00b"} {
		if _, err := picture.At(address); err == nil {
			t.Errorf("%q was taken", address)
		}
	}
}

// FuzzOf: whatever the bytes are, what is taken is bounded, and taken again as it is.
func FuzzOf(f *testing.F) {
	f.Add(pngOf(f, noisy(3, 3)))
	f.Add(encoded(f, func(b *bytes.Buffer) error { return jpeg.Encode(b, noisy(3, 3), nil) }))
	f.Add(encoded(f, func(b *bytes.Buffer) error { return gif.Encode(b, noisy(3, 3), nil) }))
	if webp, err := base64.StdEncoding.DecodeString(tinyWebP); err == nil {
		f.Add(webp)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		im, err := picture.Of("x", data)
		if err != nil {
			var problem *tools.Problem
			if !errors.As(err, &problem) {
				t.Errorf("%T: %v", err, err)
			}
			return
		}
		if max(im.Width, im.Height) > 1_568 || min(im.Width, im.Height) < 1 || len(im.Data) == 0 {
			t.Errorf("%s in %d bytes", im.String(), len(im.Data))
		}
		if again, err := picture.Of("x", im.Data); err != nil || !bytes.Equal(again.Data, im.Data) {
			t.Errorf("not taken again: %v", err)
		}
	})
}

func BenchmarkLarge(b *testing.B) {
	data := pngOf(b, image.NewNRGBA(image.Rect(0, 0, 6_000, 4_000)))
	for b.Loop() {
		if _, err := picture.Of("x", data); err != nil {
			b.Fatal(err)
		}
	}
}
