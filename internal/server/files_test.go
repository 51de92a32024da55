package server_test

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/internal/server"
	"github.com/eke-bo/eke/study"
)

// part is the body of an upload.
func part(worker string, offset int, data string) map[string]any {
	return map[string]any{"worker": worker, "offset": offset, "data": base64.StdEncoding.EncodeToString([]byte(data))}
}

// What a trial prints can be read while it grows and afterwards, as far as it is kept.
func TestOutput(t *testing.T) {
	g := serve(t)
	g.create(kiln)
	g.post("/studies/kiln/ask", `{"worker":"w"}`).fine(200, nil)
	const files = "/studies/kiln/trials/1/files"
	var up api.Uploaded
	var out api.Output
	g.get(files+"/stdout/text").refused(404, fault.NotFound, "")
	g.post(files+"/stdout", part("w", 0, "one\n")).fine(200, &up)
	g.post(files+"/stdout", part("w", 0, "one\n")).fine(200, &up) // the answer was lost
	if g.get(files+"/stdout/text").fine(200, &out); out.Text != "one\n" || out.Next != 4 || up.Size != 4 {
		t.Errorf("%+v %+v", out, up)
	}
	g.post(files+"/stdout", part("w", 4, "t\xffwo\n")).fine(200, nil)
	if g.get(files+"/stdout/text?after=4").fine(200, &out); out.Text != "t\ufffdwo\n" || out.Offset != 4 || out.Next != 9 {
		t.Errorf("%+v", out)
	}
	if g.get(files+"/stdout/text?last=3").fine(200, &out); out.Text != "wo\n"[0:3] || out.Offset != 6 {
		t.Errorf("%+v", out)
	}
	if g.get(files+"/stdout/text?after=9").fine(200, &out); out.Text != "" || out.Next != 9 {
		t.Errorf("%+v", out)
	}
	g.post(files+"/stdout", part("w", 100, "gap")).fine(200, &up)
	if up.Size != 9 {
		t.Errorf("%+v", up)
	}
	g.post(files+"/stdout", part("v", 9, "not mine")).refused(409, fault.Conflict, "")
	g.post(files+"/..", part("w", 0, "x")).refused(405, fault.BadRequest, "")
	g.post(files+"/.hidden", part("w", 0, "x")).refused(422, fault.BadRequest, "path.name")
	g.post("/studies/kiln/trials/2/files/stdout", part("w", 0, "x")).refused(404, fault.NotFound, "")
	chunk := strings.Repeat("x", api.MaxPart)
	g.post(files+"/stdout", part("w", 9, chunk+"y")).refused(422, fault.BadRequest, "body.data")
	for size := 9; size < 3*api.MaxOutput; {
		g.post(files+"/stdout", part("w", size, chunk)).fine(200, &up)
		size = int(up.Size)
	}
	g.post("/studies/kiln/trials/1/tell", `{"value":1,"cost":1}`).fine(200, nil)
	g.post(files+"/stdout", part("w", int(up.Size), "the end")).fine(200, &up) // comes after the result
	if g.get(files+"/stdout/text?last=7").fine(200, &out); out.Text != "the end" {
		t.Errorf("%.100q", out.Text)
	}
	var list api.Files
	if g.get(files).fine(200, &list); len(list.Files) != 1 || list.Files[0].Size != up.Size || list.Files[0].Kept > api.MaxOutput {
		t.Errorf("%+v", list)
	}
	all, gaps := "", 0
	for next := int64(0); next < up.Size; next = out.Next { // a client that follows sees the beginning, one gap, and the end
		g.get(fmt.Sprintf("%s/stdout/text?after=%d", files, next)).fine(200, &out)
		if out.Skipped > 0 {
			gaps++
		}
		all += out.Text
	}
	if gaps != 1 || !strings.HasPrefix(all, "one\n") || !strings.HasSuffix(all, "the end") {
		t.Errorf("%d gaps, %d bytes", gaps, len(all))
	}
}

// A character that has not come whole comes with the next answer. Bytes that are no characters hold nothing up.
func TestOutputComesInWholeCharacters(t *testing.T) {
	g := serve(t)
	g.create(kiln)
	g.post("/studies/kiln/ask", `{"worker":"w"}`).fine(200, nil)
	const file = "/studies/kiln/trials/1/files/stdout"
	var out api.Output
	size, next, all := 0, int64(0), ""
	prints := func(data, want string) {
		t.Helper()
		g.post(file, part("w", size, data)).fine(200, nil)
		size += len(data)
		g.get(fmt.Sprintf("%s/text?after=%d", file, next)).fine(200, &out)
		if all += out.Text; out.Text != want || out.Size != int64(size) {
			t.Errorf("%q after %q", out.Text, all)
		}
		next = out.Next
	}
	prints("20 °C, 9\xe2", "20 °C, 9")
	prints("\x82", "")
	prints("\xac \xf0\x9f\x94", "€ ")
	prints("\xa5\xff", "🔥\ufffd")
	prints("\xe2", "")
	prints("x\x82\xe2\xc3", "\ufffdx\ufffd")
	g.post("/studies/kiln/trials/1/tell", `{"value":1,"cost":1}`).fine(200, nil)
	if g.get(fmt.Sprintf("%s/text?after=%d", file, next)).fine(200, &out); out.Text != "\ufffd" || out.Next != out.Size {
		t.Errorf("%+v", out)
	}
}

// An artifact comes back byte for byte. Only pictures are shown by a browser, and nothing in a file can act as a page.
func TestArtifacts(t *testing.T) {
	g := serve(t, func(c *server.Config) { c.FileRoom = 1 << 20 })
	g.create(kiln)
	g.post("/studies/kiln/ask", `{"worker":"w"}`).fine(200, nil)
	const files = "/studies/kiln/trials/1/files"
	for name, shown := range map[string]string{"plot.png": "inline; filename=plot.png", "evil.html": "attachment; filename=evil.html", "x.svg": "attachment; filename=x.svg"} {
		g.post(files+"/"+name, part("w", 0, "<script>\x00\xff")).fine(200, nil)
		a := g.get(files + "/" + name)
		if string(a.body) != "<script>\x00\xff" || a.header.Get("Content-Disposition") != shown || !strings.Contains(a.header.Get("Content-Security-Policy"), "sandbox") ||
			a.header.Get("X-Content-Type-Options") != "nosniff" || strings.Contains(a.header.Get("Content-Type"), "html") {
			t.Errorf("%s: %q %v", name, a.body, a.header)
		}
	}
	chunk := strings.Repeat("x", api.MaxPart)
	size := 0
	for range 3 {
		g.post(files+"/big", part("w", size, chunk)).fine(200, nil)
		size += len(chunk)
	}
	g.post(files+"/big", part("w", size, chunk)).refused(413, fault.TooLarge, "")
}

// A server may keep what trials print from readers.
func TestReadersMayBeDenied(t *testing.T) {
	g := serve(t, func(c *server.Config) { c.OutputFor = server.Worker })
	g.create(kiln)
	g.post("/studies/kiln/ask", `{"worker":"w"}`).fine(200, nil)
	g.post("/studies/kiln/trials/1/files/stdout", part("w", 0, "secret")).fine(200, nil)
	made := map[string]string{}
	for _, role := range []string{"admin", "worker", "reader"} {
		var n api.NewToken
		g.post("/tokens", map[string]string{"role": role}).fine(201, &n)
		if made[role] = n.Secret; role == "admin" {
			g.token = n.Secret
		}
	}
	for _, path := range []string{"", "/stdout", "/stdout/text"} {
		g.token = made["reader"]
		g.get("/studies/kiln/trials/1/files"+path).refused(403, fault.Forbidden, "")
		g.token = made["worker"]
		if a := g.get("/studies/kiln/trials/1/files" + path); a.status != 200 {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		}
	}
}

// A copy is a study like another one, with changes, and with its results if that is wanted.
func TestCopy(t *testing.T) {
	g := serve(t)
	g.create(kiln)
	g.post("/studies/kiln/labels", `{"tags":["hot"],"notes":"Why."}`).fine(200, nil)
	g.post("/studies/kiln/ask", `{"worker":"w"}`).fine(200, nil)
	g.post("/studies/kiln/trials/1/tell", `{"value":1,"cost":2}`).fine(200, nil)
	var s api.Study
	g.post("/studies/kiln/copy", `{"name":"plain"}`).fine(201, &s)
	if s.Name != "plain" || s.Known != 0 || s.Ledger.Total != 100 || s.Ledger.Spent != 0 || strings.Join(s.Tags, "") != "hot" || !strings.Contains(s.Notes, "A copy of kiln") {
		t.Errorf("%+v", s)
	}
	g.post("/studies/kiln/copy", `{"name":"changed","changes":{"budget":{"total":7},"policy":{"name":"ei"},"command":null},"results":true}`).fine(201, &s)
	if s.Ledger.Total != 7 || s.Policy.Name != "ei" || s.Known != 1 || s.Best == nil || *s.Best.Value != 1 {
		t.Errorf("%+v", s)
	}
	g.post("/studies/kiln/copy", `{"name":"hours","changes":{"cost":{"source":"reported","unit":"hours"}},"results":true}`).fine(201, &s)
	var log api.Log
	if g.get("/studies/hours/log").fine(200, &log); s.Known != 1 || !slices.ContainsFunc(log.Events, func(e study.Event) bool { return e.Known != nil && e.Known.Value == 1 && e.Known.Cost == 0 }) {
		t.Errorf("euros are taken for hours: %+v, %+v", s, log)
	}
	for _, objective := range []string{`{"name":"strength","goal":"minimize"}`, `{"name":"gloss","goal":"maximize"}`} {
		change := `{"name":"turned","changes":{"objective":` + objective + `}`
		g.post("/studies/kiln/copy", change+`,"results":true}`).refused(422, fault.BadRequest, "body.results")
		g.get("/studies/turned").refused(404, fault.NotFound, "")
	}
	g.post("/studies/kiln/budget", `{"add":11}`).fine(200, nil)
	if g.post("/studies/kiln/copy", `{"name":"rich"}`).fine(201, &s); s.Ledger.Total != 111 || s.Definition.Budget.Total != 111 {
		t.Errorf("%+v", s.Ledger)
	}
	const digits = "1234567890123456789"
	g.create(strings.NewReplacer("name: kiln", "name: long", "[ash, tin]", "["+digits+", 7]").Replace(kiln))
	if g.post("/studies/long/copy", `{"name":"long-2"}`).fine(201, &s); s.Definition.Parameters[2].Values[0].String() != digits {
		t.Errorf("%s became %v", digits, s.Definition.Parameters[2].Values)
	}
	g.post("/studies/kiln/copy", `{"name":"kiln"}`).refused(409, fault.Exists, "")
	g.post("/studies/kiln/copy", `{"name":"x/y"}`).refused(422, fault.BadRequest, "body.definition.name")
	g.post("/studies/kiln/copy", `{"name":"x","changes":{"budget":{"total":-1}}}`).refused(422, fault.BadRequest, "body.definition.budget.total")
	g.post("/studies/kiln/copy", `{"name":"x","changes":{"colour":1}}`).refused(422, fault.BadRequest, "body.definition.colour")
	if a := g.get("/studies/kiln/report"); a.status != 200 || !strings.Contains(string(a.body), "<html") || !strings.HasPrefix(a.header.Get("Content-Disposition"), "attachment") {
		t.Errorf("%d %v %.200s", a.status, a.header, a.body)
	}
}
