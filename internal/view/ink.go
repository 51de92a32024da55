package view

import (
	"math"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/study"
)

// ink paints text, or leaves it as it is. It uses the sixteen colours of every terminal, so that they suit the theme
// somebody has chosen. Nothing is said by colour alone.
type ink bool

var (
	bold       = lipgloss.NewStyle().Bold(true)
	faint      = lipgloss.NewStyle().Faint(true)
	inGood     = lipgloss.NewStyle().Foreground(lipgloss.Color("10")).Bold(true)
	inBad      = lipgloss.NewStyle().Foreground(lipgloss.Color("9"))
	inWarning  = lipgloss.NewStyle().Foreground(lipgloss.Color("11"))
	inSpent    = lipgloss.NewStyle().Foreground(lipgloss.Color("12"))
	inReserved = lipgloss.NewStyle().Foreground(lipgloss.Color("11"))
	inLine     = lipgloss.NewStyle().Foreground(lipgloss.Color("14"))
	noStyle    = lipgloss.NewStyle()
)

func (k ink) paint(style lipgloss.Style, text string) string {
	if !k || text == "" {
		return text
	}
	return style.Render(text)
}

// fit shortens a text, painted or not, to a width.
func fit(text string, width int) string { return ansi.Truncate(text, max(width, 0), "…") }

// pad fits a text and fills it up with blanks.
func pad(text string, width int) string {
	text = fit(text, width)
	return text + blanks(width-ansi.StringWidth(text))
}

// padLeft is pad for numbers.
func padLeft(text string, width int) string {
	text = fit(text, width)
	return blanks(width-ansi.StringWidth(text)) + text
}

func blanks(n int) string { return strings.Repeat(" ", max(n, 0)) }

// apart puts one text at each end of a line. If there is no room for both, the second is left out.
func apart(left, right string, width int) string {
	free := width - ansi.StringWidth(left) - ansi.StringWidth(right)
	if free < 2 || right == "" {
		return fit(left, width)
	}
	return left + blanks(free) + right
}

// Gauge draws the budget as a bar. It is width columns wide, with the percentage that is spent:
//
//	██████████▓▓▓▓░░░░░░░░░░   42%
//
// When the budget is overrun, the bar ends in ▞, and the rest of it is the total.
func Gauge(l study.Ledger, width int) string {
	return fit(gauge(false, l, width-6)+percent(l), width)
}

func percent(l study.Ledger) string {
	share := 0.0
	if l.Total > 0 {
		share = math.Min(l.Spent/l.Total, 10) // more is more than 999 %
	}
	return padLeft(say.Percent(share), 6)
}

// gauge is the bar alone.
func gauge(k ink, l study.Ledger, width int) string {
	width = max(width, 1)
	whole := math.Max(l.Total, l.Spent)
	if !(whole > 0) || math.IsInf(whole, 0) {
		return k.paint(faint, strings.Repeat("░", width))
	}
	within := math.Min(l.Spent, l.Total)
	spent := cells(within/whole, width)
	over := width - spent
	if l.Overrun() == 0 {
		over = 0
	}
	reserved := min(cells(within/whole+l.Reserved/whole, width)-spent, width-spent-over)
	left := width - spent - reserved - over
	return k.paint(inSpent, strings.Repeat("█", spent)) + k.paint(inReserved, strings.Repeat("▓", max(reserved, 0))) +
		k.paint(faint, strings.Repeat("░", max(left, 0))) + k.paint(inBad, strings.Repeat("▞", over))
}

// cells is a share of a bar. The smallest share is seen, and only a whole one fills the bar.
func cells(share float64, width int) int {
	n := int(math.Round(math.Min(math.Max(share, 0), 1) * float64(width)))
	switch {
	case share > 0 && n == 0:
		return 1
	case share < 1-1e-9 && n == width && width > 1:
		return width - 1
	}
	return n
}

// progress is a thin bar for the fraction of its reservation that a trial has used.
func progress(k ink, share float64, width int) string {
	n := cells(share, width)
	style := inSpent
	if share >= 1 {
		style = inWarning
	}
	return k.paint(style, strings.Repeat("━", n)) + k.paint(faint, strings.Repeat("─", max(width-n, 0)))
}

// account is the ledger in words, in the colours of the gauge.
func account(k ink, s *study.Study, l study.Ledger) string {
	styles := map[string]lipgloss.Style{"spent": inSpent, "reserved": inReserved, "overrun": inBad}
	return say.Account(s.Cost, l, func(kind, text string) string { return k.paint(styles[kind], text) })
}

// gaugeLines is the bar with its account: beside it where there is room, else below.
func gaugeLines(k ink, s *study.Study, l study.Ledger, width int) []string {
	words := account(k, s, l)
	if bar := width - ansi.StringWidth(words) - 2; bar >= 24 {
		return []string{gauge(k, l, bar) + "  " + words}
	}
	return []string{gauge(k, l, width-6) + k.paint(faint, percent(l)), fit(words, width)}
}
