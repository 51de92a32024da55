package insight_test

import (
	"context"
	"fmt"

	"github.com/eke-bo/eke"
	"github.com/eke-bo/eke/space"
)

// The root package returns the insight of a study: which parameters matter, and how.
func Example() {
	ctx := context.Background()
	opt, err := eke.New(eke.Config{
		Parameters: []space.Param{
			{Name: "heat", Kind: space.KindFloat, Min: 800, Max: 1300},
			{Name: "hours", Kind: space.KindInt, Min: 1, Max: 24},
		},
		Budget: 100,
	})
	if err != nil {
		panic(err)
	}
	for i := range 12 {
		heat, hours := 800+500*float64(i*5%12)/11, 1+2*i
		setting := space.Setting{"heat": space.Float(heat), "hours": space.Int(int64(hours))}
		if err := opt.Observe(ctx, setting, heat/100, float64(hours)); err != nil {
			panic(err)
		}
	}
	in, err := opt.Insight(ctx)
	if err != nil {
		panic(err)
	}
	for _, p := range in.Importance {
		fmt.Printf("%s explains %.1f of the value, %.1f of the cost\n", p.Parameter, p.Value.Total, p.Cost.Total)
	}
	// Output:
	// heat explains 1.0 of the value, 0.0 of the cost
	// hours explains 0.0 of the value, 1.0 of the cost
}
