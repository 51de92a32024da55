package view

import (
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
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
