package advisor_test

import (
	"context"
	"fmt"
	"time"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// A record goes in, the next trial comes out, with the money to reserve for it. Nothing is kept in between.
func Example() {
	kiln := &study.Study{
		Name: "kiln", Objective: study.Objective{Name: "strength", Goal: study.Maximize},
		Cost: study.Cost{Unit: "euros", Source: study.Reported}, Budget: study.Budget{Total: 40},
		Parameters: []space.Param{{Name: "heat", Kind: space.KindInt, Min: 800, Max: 1300}},
	}
	a, err := advisor.New(kiln)
	if err != nil {
		panic(err)
	}
	record := study.NewRecord(kiln.Budget.Total, kiln.Measured())
	asked, err := a.Next(context.Background(), record)
	if err != nil {
		panic(err)
	}
	fmt.Println("try", asked.Setting, "and reserve", asked.Reserved)
	why, _ := advisor.WhyOf(asked.Why)
	fmt.Println("by", why.Policy)

	// Whoever keeps the log adds what happened. The next trial follows from it.
	for _, e := range []study.Event{
		{Kind: study.EventAsked, Trial: 1, Asked: &asked},
		{Kind: study.EventFinished, Trial: 1, Finished: &study.Finished{State: study.Done, Value: 71, Charged: 40}},
	} {
		e.Seq, e.At = record.Version+1, time.Now()
		if err := record.Apply(e); err != nil {
			panic(err)
		}
	}
	_, err = a.Next(context.Background(), record)
	fmt.Println(err)
	// Output:
	// try map[heat:1100] and reserve 10
	// by design
	// budget spent
}
