package main

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// A plot shows time against size, both on logarithmic scales: cost that grows as
// the work does is a line that rises no steeper than the grey one.
type plot struct {
	title  string
	axis   string
	series []series
}

// Measures of a plot, in pixels.
const (
	plotWidth  = 420
	plotHeight = 300
	margin     = 60
)

var colours = map[string]string{"floor": "#888888", "mcpera": "#0b6bcb"}

// draw returns an SVG of all plots, two in a row.
func draw(plots []plot) []byte {
	var b strings.Builder
	rows := (len(plots) + 1) / 2
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="12">`+"\n",
		2*plotWidth, rows*plotHeight)
	fmt.Fprintln(&b, `<rect width="100%" height="100%" fill="white"/>`)
	for i, p := range plots {
		fmt.Fprintf(&b, `<g transform="translate(%d,%d)">`+"\n", i%2*plotWidth, i/2*plotHeight)
		p.draw(&b)
		fmt.Fprintln(&b, "</g>")
	}
	b.WriteString("</svg>\n")
	return []byte(b.String())
}

// A scale maps the logarithm of a value to pixels.
type scale struct{ low, high, from, to float64 }

func (s scale) at(v float64) float64 {
	return s.from + (math.Log10(v)-s.low)/(s.high-s.low)*(s.to-s.from)
}

func (p plot) draw(b *strings.Builder) {
	x, y := p.scales()
	fmt.Fprintf(b, `<text x="%d" y="24" font-weight="bold">%s</text>`+"\n", margin, p.title)
	fmt.Fprintf(b, `<text x="%d" y="%d" text-anchor="middle">%s</text>`+"\n", plotWidth/2, plotHeight-12, p.axis)
	for e := math.Ceil(x.low); e <= x.high; e++ {
		at := x.at(math.Pow(10, e))
		fmt.Fprintf(b, `<line x1="%.0f" y1="%.0f" x2="%.0f" y2="%.0f" stroke="#eee"/><text x="%.0f" y="%.0f" text-anchor="middle">%s</text>`+"\n",
			at, y.from, at, y.to, at, y.from+16, count(math.Pow(10, e)))
	}
	for e := math.Ceil(y.low); e <= y.high; e++ {
		at := y.at(math.Pow(10, e))
		fmt.Fprintf(b, `<line x1="%.0f" y1="%.0f" x2="%.0f" y2="%.0f" stroke="#eee"/><text x="%.0f" y="%.0f" text-anchor="end">%v</text>`+"\n",
			x.from, at, x.to, at, x.from-6, at+4, time.Duration(math.Pow(10, e)))
	}
	p.reference(b, x, y)
	for i, s := range p.series {
		var line []string
		for _, point := range s.points {
			line = append(line, fmt.Sprintf("%.1f,%.1f", x.at(float64(point.size)), y.at(float64(point.time))))
		}
		colour := colours[s.name]
		fmt.Fprintf(b, `<polyline points="%s" fill="none" stroke="%s" stroke-width="2"/>`+"\n", strings.Join(line, " "), colour)
		fmt.Fprintf(b, `<text x="%d" y="%d" fill="%s">%s</text>`+"\n", margin+12, 48+16*i, colour, s.name)
	}
}

// reference draws the line of cost in proportion to size through the last point
// of the last series.
func (p plot) reference(b *strings.Builder, x, y scale) {
	points := p.series[len(p.series)-1].points
	last := points[len(points)-1]
	per := float64(last.time) / float64(last.size)
	from := max(float64(points[0].size), math.Pow(10, y.low)/per)
	fmt.Fprintf(b, `<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="#ccc" stroke-dasharray="4"/>`+"\n",
		x.at(from), y.at(per*from), x.at(float64(last.size)), y.at(float64(last.time)))
}

func (p plot) scales() (x, y scale) {
	x = scale{math.Inf(1), math.Inf(-1), margin, plotWidth - 16}
	y = scale{math.Inf(1), math.Inf(-1), plotHeight - margin + 8, 36}
	for _, s := range p.series {
		for _, point := range s.points {
			x.low, x.high = min(x.low, math.Log10(float64(point.size))), max(x.high, math.Log10(float64(point.size)))
			y.low, y.high = min(y.low, math.Log10(float64(point.time))), max(y.high, math.Log10(float64(point.time)))
		}
	}
	y.low, y.high = math.Floor(y.low), math.Ceil(y.high)
	return x, y
}

func count(n float64) string {
	switch {
	case n >= 1e6:
		return fmt.Sprintf("%.0fM", n/1e6)
	case n >= 1e3:
		return fmt.Sprintf("%.0fk", n/1e3)
	default:
		return fmt.Sprintf("%.0f", n)
	}
}
