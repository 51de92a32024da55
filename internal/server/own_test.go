package server_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/internal/server"
	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/study"
)

// somebody makes a token with a name, and returns its secret and its ID.
func (g *given) somebody(role server.Role, name string) (secret, id string) {
	g.t.Helper()
	secret, token := server.NewToken(role, name)
	if err := g.store.(store.Tokens).AddToken(g.t.Context(), token); err != nil {
		g.t.Fatal(err)
	}
	return secret, token.ID
}

// reports are all that can be said of a trial that is under way.
var reports = map[string]string{
	"tell":         `{"value":1,"cost":1}`,
	"fail":         `{"cost":1}`,
	"report":       `{"step":1,"value":1}`,
	"stop":         `{}`,
	"heartbeat":    `{"worker":"w"}`,
	"cost":         `{"worker":"w","cost":3}`,
	"files/stdout": `{"worker":"w","offset":0,"data":"aGVsbG8K"}`,
}

// A trial belongs to the token that asked for it. Another worker's may say nothing of it, and is told whose it is and what to do.
func TestTrialsBelongToTokens(t *testing.T) {
	g := serve(t)
	admin, _ := g.somebody(server.Admin, "root")
	owner, ownerID := g.somebody(server.Worker, "olga")
	ada, adaID := g.somebody(server.Worker, "ada")
	bob, _ := g.somebody(server.Worker, "bob")
	g.token = admin
	g.create(kiln)
	g.post("/studies/kiln/labels", map[string]string{"owner": ownerID}).fine(200, nil)
	ask := func() int {
		t.Helper()
		g.token = ada
		var asked api.Leases
		g.post("/studies/kiln/ask", `{"worker":"w"}`).fine(200, &asked)
		if asked.Trials[0].Token != adaID {
			t.Errorf("%+v", asked.Trials[0])
		}
		return asked.Trials[0].Number
	}
	end := func(number int) { // whatever is still open, so that there is room for the next
		g.token = admin
		g.post(fmt.Sprintf("/studies/kiln/trials/%d/tell", number), `{"value":1,"cost":0.1}`)
	}
	for what, body := range reports {
		number := ask()
		path := fmt.Sprintf("/studies/kiln/trials/%d/", number)
		before := g.trial("kiln", number)
		g.token = bob
		p := g.post(path+what, body).refused(403, fault.Forbidden, "")
		if !strings.Contains(p.Detail, "ada") || !strings.Contains(p.Detail, adaID) || !strings.Contains(p.Hint, "use that token") || !strings.Contains(p.Hint, "owner") {
			t.Errorf("%s: %+v", what, p)
		}
		if now := g.trial("kiln", number); now.State != before.State || now.Stopping || len(now.Steps) > 0 {
			t.Errorf("%s: %+v", what, now)
		}
		if what == "report" || what == "cost" {
			end(number)
			continue // this study knows no steps, and no cluster
		}
		for _, token := range []string{ada, owner, admin} {
			end(number)
			number = ask()
			g.token = token
			g.post(fmt.Sprintf("/studies/kiln/trials/%d/%s", number, what), body).fine(200, nil)
		}
		end(number)
	}
}

// The key of an ask does not hand a trial to another token, even if the worker's name is the same.
func TestKeyDoesNotHandOver(t *testing.T) {
	g := serve(t)
	g.create(kiln)
	ada, _ := g.somebody(server.Worker, "ada")
	bob, _ := g.somebody(server.Worker, "bob")
	waitFor(t, func() bool { return g.get("/me").status == 401 })
	g.token = ada
	g.post("/studies/kiln/ask", `{"worker":"w"}`, "Idempotency-Key", "k").fine(200, nil)
	g.post("/studies/kiln/ask", `{"worker":"w"}`, "Idempotency-Key", "k").fine(200, nil)
	g.token = bob
	g.post("/studies/kiln/ask", `{"worker":"w"}`, "Idempotency-Key", "k").refused(409, fault.Conflict, "")
}

// A trial that was asked for without a token, as all of older versions were, is open to every worker. So is one whose token is revoked:
// who got a new token may still tell.
func TestTrialsOfNobody(t *testing.T) {
	g := serve(t)
	g.create(kiln)
	g.post("/studies/kiln/ask", `{"worker":"w"}`).fine(200, nil)
	ada, adaID := g.somebody(server.Worker, "ada")
	bob, _ := g.somebody(server.Worker, "bob")
	waitFor(t, func() bool { return g.get("/me").status == 401 })
	g.token = ada
	var asked api.Leases
	g.post("/studies/kiln/ask", `{"worker":"w"}`).fine(200, &asked)
	g.token = bob
	if old := g.trial("kiln", 1); old.Token != "" {
		t.Errorf("%+v", old)
	}
	g.post("/studies/kiln/trials/1/tell", `{"value":1,"cost":1}`).fine(200, nil)
	g.post("/studies/kiln/trials/2/tell", `{"value":1,"cost":1}`).refused(403, fault.Forbidden, "")
	if err := g.store.(store.Tokens).RevokeToken(t.Context(), adaID); err != nil {
		t.Fatal(err)
	}
	waitFor(t, func() bool {
		return g.post("/studies/kiln/trials/2/tell", `{"value":1,"cost":1}`, "Idempotency-Key", "late").status == 200
	})
	if now := g.trial("kiln", 2); now.State != study.Done {
		t.Errorf("%+v", now)
	}
}

// Anybody may send a trial's ID that no trial has. Clients that send no IDs go on, unless the study's own ID was sent with it: then the log
// has lost a trial.
func TestWrongIDRetiresNoName(t *testing.T) {
	g := serve(t)
	g.create(kiln)
	var s api.Study
	g.get("/studies/kiln").fine(200, &s)
	g.post("/studies/kiln/ask", `{"worker":"w","count":2}`).fine(200, nil)
	for _, number := range []int{1, 7} {
		g.post(fmt.Sprintf("/studies/kiln/trials/%d/heartbeat", number), `{"worker":"x"}`, api.TrialHeader, "nonsense").refused(409, fault.UnknownLease, "")
	}
	g.post("/studies/kiln/trials/1/tell", `{"value":1,"cost":1}`).fine(200, nil)
	g.post("/studies/kiln/trials/7/heartbeat", `{"worker":"x"}`, api.TrialHeader, "lost", api.StudyHeader, s.ID).refused(409, fault.UnknownLease, "")
	g.post("/studies/kiln/trials/2/tell", `{"value":1,"cost":1}`).refused(409, fault.UnknownLease, "")
}

// Who stops or corrects a trial by its ID means that one, and no other of its number.
func TestSecondThoughtsOfATrial(t *testing.T) {
	g := serve(t)
	g.create(named("old"))
	g.post("/studies/old/delete", `{"confirm":"old"}`).fine(200, nil)
	g.create(named("old")) // people may go on to say the number alone
	var asked api.Leases
	g.post("/studies/old/ask", `{"worker":"w","count":2}`).fine(200, &asked)
	first, second := asked.Trials[0].ID, asked.Trials[1].ID
	g.post("/studies/old/trials/1/stop", `{}`, api.TrialHeader, second).refused(409, fault.UnknownLease, "")
	if g.trial("old", 1).Stopping {
		t.Error("another trial is stopped")
	}
	g.post("/studies/old/trials/1/stop", `{}`, api.TrialHeader, first).fine(200, nil)
	g.post("/studies/old/trials/2/stop", `{}`).fine(200, nil)
	g.post("/studies/old/trials/1/tell", `{"value":1,"cost":1}`, api.TrialHeader, first).fine(200, nil)
	g.post("/studies/old/trials/1/correct", `{"value":2}`, api.TrialHeader, second).refused(409, fault.UnknownLease, "")
	if v := g.trial("old", 1).Value; v == nil || *v != 1 {
		t.Error("another trial is corrected")
	}
	g.post("/studies/old/trials/1/correct", `{"value":2}`, api.TrialHeader, first).fine(200, nil)
	g.post("/studies/old/trials/1/correct", `{"value":3}`).fine(200, nil)
}

// A study with a trial under way cannot be deleted, and the refusal is about that.
func TestDeleteWaitsForTrials(t *testing.T) {
	g := serve(t)
	g.create(kiln)
	g.post("/studies/kiln/ask", `{"worker":"w"}`).fine(200, nil)
	if p := g.post("/studies/kiln/delete", `{"confirm":"kiln"}`).refused(409, fault.Conflict, ""); !strings.Contains(p.Detail, "cannot be deleted while trial 1") {
		t.Errorf("%+v", p)
	}
}
