package show

import (
	"bytes"
	"image"
	"image/color"
	"math"
	"strings"
	"testing"
)

func TestRoundTicks(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		want      string
	}{
		{8, 40, "10 20 30 40"}, {-3.9, -0.4, "−3 −2 −1"}, {0, 1, "0 0.2 0.4 0.6 0.8 1"}, {-0.1, 0.1, "−0.1 −0.05 0 0.05 0.1"}, {2, 2, "2"},
		{math.Nextafter(1, 0), 1, "1"},
	} {
		var labels []string
		for _, tick := range (RoundTicks{5}).Ticks(c.low, c.high) {
			labels = append(labels, tick.Label)
		}
		if got := strings.Join(labels, " "); got != c.want {
			t.Errorf("from %v to %v: %s, want %s", c.low, c.high, got, c.want)
		}
	}
}

// Few colours stay what they are, many become near ones.
func TestPaletted(t *testing.T) {
	few, many := image.NewRGBA(image.Rect(0, 0, 16, 16)), image.NewRGBA(image.Rect(0, 0, 64, 64))
	for i := range 256 {
		few.Set(i%16, i/16, color.RGBA{uint8(i), uint8(255 - i), 7, 255})
	}
	for i := range 64 * 64 {
		many.Set(i%64, i/64, color.RGBA{uint8(i % 64 * 4), uint8(i / 64 * 4), 0, 255})
	}
	for _, c := range []struct {
		picture image.Image
		off     int
	}{{few, 0}, {many, 32 * 32}} {
		got := Paletted([]image.Image{c.picture})[0]
		eachPixel(c.picture, func(x, y int, want color.RGBA) {
			if d := distance2(got.At(x, y).(color.RGBA), want); d > c.off {
				t.Fatalf("%v became %v", want, got.At(x, y))
			}
		})
	}
}

func TestTable(t *testing.T) {
	table := Table{Header: []string{"policy", "regret"}}
	table.Add("ei", Fixed(-1.256, 2))
	table.Add("random", PlusMinus(0.5, 0.125))
	var markdown, plain bytes.Buffer
	table.Markdown(&markdown, 1)
	table.Text(&plain)
	if want := "| policy | regret |\n| --- | ---: |\n| ei | −1.26 |\n| random | 0.50 ± 0.12 |\n\n"; markdown.String() != want {
		t.Errorf("%q, want %q", markdown.String(), want)
	}
	if want := "policy  regret\nei      −1.26\nrandom  0.50 ± 0.12\n"; plain.String() != want {
		t.Errorf("%q, want %q", plain.String(), want)
	}
}
