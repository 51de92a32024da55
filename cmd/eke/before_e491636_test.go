package main

import (
	"net/http"
	"testing"

	"github.com/eke-bo/eke/study"
)

// What e491636 left behind, in which studies and trials had no identities, is read and continued.

func TestStoreOfE491636(t *testing.T) {
	t.Parallel()
	l := unpack(t, "e491636/sqlite.tar.gz", "tool")
	l.compare("e491636/tool", "kiln", "curves", "glass")

	was := l.trials("kiln")
	l.eke("budget", "add", "kiln", "4") // enough to try again what was under way
	l.eke("run", "kiln.yaml", "--plain")
	is := l.audit("kiln", was)
	l.ended(is[4], study.Abandoned, 0, unknown)
	l.triedAgain(is[4], is)
	l.ended(is[5], study.Done, 1.452444, 0.689) // its command had reported

	l.exits(3, "run", "curves.yaml", "--plain") // over: all its trials were tried
	l.eke("tell", "glass", "3", "--value", "0.25", "--cost", "2")
	l.ended(l.trials("glass")[2], study.Done, 0.25, 2)
	was = l.trials("glass")
	l.eke("ask", "glass")
	l.audit("glass", was)
}

func TestServiceOfE491636(t *testing.T) {
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		goesOn(unpack(t, "e491636/sqlite.tar.gz", "service"), "e491636/service", 1.452444, 0.689)
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		t.Parallel()
		database := restored(t, "e491636/postgres.sql.gz")
		l := unpack(t, "e491636/shared.tar.gz", "shared")
		l.env = []string{"EKE_DB=" + database}
		goesOn(l, "e491636/shared", 1.452444, 0.689)
	})
}

// goesOn serves a store to the tokens of then, and lets a worker go on where one was killed. The result of its sixth trial is in its journal.
func goesOn(l *left, folder string, value, cost float64) {
	l.compare(folder, "kiln")
	was := l.trials("kiln")
	address := l.serve()
	for _, c := range []struct {
		study, token string
		status       int
	}{
		{"kiln", "", http.StatusUnauthorized}, {"kiln", "admin", http.StatusOK}, {"kiln", "token", http.StatusOK}, {"kiln", "other", http.StatusNotFound},
		{"glass", "other", http.StatusOK}, {"glass", "token", http.StatusNotFound}, {"curves", "token", http.StatusNotFound},
	} {
		if status := l.get(address+"/api/v1/studies/"+c.study, c.token); status != c.status {
			l.t.Errorf("study %s with the token in %q: %d, not %d", c.study, c.token, status, c.status)
		}
	}
	l.eke("worker", "--server", address, "--study", "kiln", "--token-file", "token", "--workdir", l.dir, "--parallel", "3")
	is := l.audit("kiln", was)
	l.ended(is[5], study.Done, value, cost)
	for _, i := range []int{4, 6} { // they were under way
		l.ended(is[i], study.Abandoned, 0, unknown)
	}
}
