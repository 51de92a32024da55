package api

import "github.com/eke-bo/eke/study"

// LabelRequest changes what people have written on a study. What is missing stays as it is.
type LabelRequest struct {
	Tags  *[]string `json:"tags,omitempty" maxItems:"50" doc:"Words to find the study by."`
	Notes *string   `json:"notes,omitempty" maxLength:"50000" doc:"A text in Markdown."`
	Owner *string   `json:"owner,omitempty" maxLength:"100" doc:"The ID of the token that may do everything with the study. Only admins may change it."`
	Group *string   `json:"group,omitempty" maxLength:"100" doc:"Whose tokens may see the study, beside those without a group, which see all. Only admins without a group may change it."`
}

// Apply changes labels as the request says.
func (r LabelRequest) Apply(l *study.Labels) {
	if r.Tags != nil {
		l.Tags = *r.Tags
	}
	for _, field := range []struct{ to, from *string }{{&l.Notes, r.Notes}, {&l.Owner, r.Owner}, {&l.Group, r.Group}} {
		if field.from != nil {
			*field.to = *field.from
		}
	}
}

// CopyRequest duplicates a study. It has no trials yet.
type CopyRequest struct {
	Name    string         `json:"name" minLength:"1" maxLength:"100" doc:"The name of the new study."`
	Changes map[string]any `json:"changes,omitempty" doc:"Fields of the definition that differ, such as budget or parameters. null removes one."`
	Results bool           `json:"results,omitempty" doc:"Give the new study the results of the old one, as known results, as far as its parameters allow them."`
}
