package api

import (
	"fmt"
	"net/http"
	"net/url"
)

// Headers that say what a request is about beyond a doubt. A name may be another study's by now, and a number another trial's. An older
// server ignores them.
const (
	StudyHeader = "Eke-Study" // the study's ID
	TrialHeader = "Eke-Trial" // the trial's ID
)

// Place is what a request is about.
type Place struct {
	Study   string // the study's name
	StudyID string // empty: the name alone says which study is meant
	Trial   int    // the trial's number; 0: it is about no trial
	TrialID string // empty: the number alone says which trial is meant
}

func (p Place) mark(h http.Header) {
	for name, id := range map[string]string{StudyHeader: p.StudyID, TrialHeader: p.TrialID} {
		if id != "" {
			h.Set(name, id)
		}
	}
}

func (p Place) path() string {
	if p.Trial == 0 {
		return "/studies/" + url.PathEscape(p.Study)
	}
	return fmt.Sprintf("/studies/%s/trials/%d", url.PathEscape(p.Study), p.Trial)
}
