package space

import (
	"strings"

	"github.com/eke-bo/eke/internal/fault"
)

// told is an error as it is shown, a line for each detail, with its hint.
func told(err error) string {
	var lines []string
	for _, d := range fault.Details(err) {
		line := d.Message
		if d.Hint != "" {
			line += "; " + d.Hint
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}
