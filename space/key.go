package space

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Key returns a text that is the same for equal settings and different for different ones. It does not
// depend on the order of the parameters, or on whether a whole number is written as an int or a float.
func (s *Space) Key(setting Setting) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(setting)) {
		v := setting[name]
		if i, known := s.places[name]; !known {
			name = strconv.Quote(name) // it may have any character
		} else if admitted, err := s.axes[i].admit(v); err == nil {
			v = admitted
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(name)
		b.WriteByte('=')
		b.WriteString(v.quoted())
	}
	return b.String()
}
