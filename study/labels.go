package study

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/eke-bo/eke/internal/fault"
)

// Labels is what people write on a study. It is the body of a labelled event.
type Labels struct {
	Tags  []string `json:"tags,omitempty"`  // Tags are words to find the study by, sorted.
	Notes string   `json:"notes,omitempty"` // Notes are a text in Markdown.
	Owner string   `json:"owner,omitempty"` // Owner is the ID of the token that may do everything with the study.
	Group string   `json:"group,omitempty"` // Group is whose tokens may see the study, beside those without a group, which see all.
}

// How much labels may say.
const (
	MaxTags  = 50
	MaxTag   = 50    // characters
	MaxNotes = 50000 // characters
)

// Tidy returns the labels with their tags sorted, each once, or an error if they cannot be kept.
func (l Labels) Tidy() (Labels, error) {
	tags := []string{}
	for _, tag := range l.Tags {
		tag = strings.TrimSpace(tag)
		if tag == "" || utf8.RuneCountInString(tag) > MaxTag || strings.ContainsFunc(tag, isControl) || strings.Contains(tag, ",") {
			return l, fault.New(fault.BadRequest, "give a word or two, without a comma", "%s cannot be a tag", quoteShort(tag))
		}
		tags = append(tags, tag)
	}
	slices.Sort(tags)
	l.Tags = slices.Compact(tags)
	switch {
	case len(l.Tags) > MaxTags:
		return l, fault.New(fault.BadRequest, "leave some out", "a study has at most %d tags", MaxTags)
	case utf8.RuneCountInString(l.Notes) > MaxNotes:
		return l, fault.New(fault.BadRequest, "put the rest into a file", "the notes are longer than %d characters", MaxNotes)
	}
	return l, nil
}

// Equal reports whether two labels say the same.
func (l Labels) Equal(other Labels) bool {
	return slices.Equal(l.Tags, other.Tags) && l.Notes == other.Notes && l.Owner == other.Owner && l.Group == other.Group
}

func (r *Record) labelled(e Event) error {
	if e.Labels == nil {
		return refuse("there are no labels")
	}
	r.Labels = *e.Labels
	return nil
}
