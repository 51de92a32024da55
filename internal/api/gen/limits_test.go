package gen_test

import (
	"testing"

	"github.com/eke-bo/eke/internal/api"
)

// Go's struct tags cannot name constants. The limits that the server enforces, which are those of the document, are the constants
// that clients go by.
func TestLimits(t *testing.T) {
	d := parse(t, openAPI(t))
	field := func(name, field string) schema { return d.Components.Schemas[name].Properties[field] }
	parameter := func(id, name string) schema {
		_, _, o := d.find(id)
		for _, p := range o.Parameters {
			if p.Name == name {
				return p.Schema
			}
		}
		t.Fatalf("%s has no parameter %s", id, name)
		return schema{}
	}
	number := func(x *float64) float64 {
		if x == nil {
			return -1
		}
		return *x
	}
	length := func(x *int) float64 {
		if x == nil {
			return -1
		}
		return float64(*x)
	}
	_, _, ask := d.find("ask")
	_, _, listen := d.find("listen")
	for what, c := range map[string]struct{ is, want float64 }{
		"a value at most":         {number(field("TellRequest", "value").Maximum), api.MaxValue},
		"a value at least":        {number(field("TellRequest", "value").Minimum), -api.MaxValue},
		"a cost":                  {number(field("TellRequest", "cost").Maximum), api.MaxCost},
		"a wall time":             {number(field("TellRequest", "wall").Maximum), api.MaxCost},
		"the cost of a failure":   {number(field("FailRequest", "cost").Maximum), api.MaxCost},
		"the time of a failure":   {number(field("FailRequest", "wall").Maximum), api.MaxCost},
		"an addition":             {number(field("BudgetRequest", "add").Maximum), api.MaxCost},
		"a note":                  {length(field("TellRequest", "note").MaxLength), api.MaxNote},
		"the note of a failure":   {length(field("FailRequest", "note").MaxLength), api.MaxNote},
		"an ask":                  {number(field("AskRequest", "count").Maximum), api.MaxCount},
		"a list":                  {number(parameter("list-trials", "limit").Maximum), api.MaxListed},
		"a list by default":       {parameter("list-trials", "limit").Default.(float64), api.MaxListed},
		"the key of ask":          {length(parameter("ask", "Idempotency-Key").MaxLength), api.MaxKey},
		"the key of tell":         {length(parameter("tell", "Idempotency-Key").MaxLength), api.MaxKey},
		"the key of fail":         {length(parameter("fail", "Idempotency-Key").MaxLength), api.MaxKey},
		"a study's name":          {length(parameter("get-study", "study").MaxLength), api.MaxName},
		"the seconds of an ask":   {float64(ask.Timeout), api.MaxAsk.Seconds()},
		"the seconds to the ping": {float64(listen.Ping), api.PingEvery.Seconds()},
	} {
		if c.is != c.want {
			t.Errorf("%s: the server's limit is %g, the constant %g", what, c.is, c.want)
		}
	}
	for _, name := range []string{"AskRequest", "HeartbeatRequest"} {
		if got := field(name, "worker").Pattern; got != api.WorkerPattern {
			t.Errorf("%s: a worker is %s, want %s", name, got, api.WorkerPattern)
		}
	}
}
