package space_test

import (
	"errors"
	"fmt"

	"github.com/eke-bo/eke/space"
)

func Example() {
	s, err := space.New([]space.Param{
		{Name: "lr", Kind: space.KindFloat, Min: 1e-5, Max: 1e-1, Log: true},
		{Name: "n", Kind: space.KindInt, Min: 1, Max: 64},
		{Name: "opt", Kind: space.KindChoice, Values: []space.Value{space.String("sgd"), space.String("adam")}},
		{Name: "beta", Kind: space.KindFloat, Min: 0, Max: 1,
			When: []space.Condition{{Param: "opt", Values: []space.Value{space.String("adam")}}}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s.Decode([]float64{0.5, 0.1, 1, 0.9})) // lr, n, opt, beta
	fmt.Println(s.Decode([]float64{0.5, 0.1, 0, 0.9})) // without adam there is no beta
	fmt.Println(s.Snap(nil, []float64{0.5, 0.1, 0, 0.9}))
	// Output:
	// map[beta:0.9 lr:0.001 n:7 opt:adam]
	// map[lr:0.001 n:7 opt:sgd]
	// [0.5 0.1015625 0 0.5]
}

// New reports every mistake at once, each with a hint.
func ExampleNew_errors() {
	_, err := space.New([]space.Param{
		{Name: "lr", Kind: space.KindFloat, Min: 0, Max: 1, Log: true},
		{Name: "n", Kind: space.KindInt, Min: 1, Max: 10, Step: 4},
	})
	var mistakes space.Errors
	if errors.As(err, &mistakes) {
		for _, m := range mistakes {
			fmt.Printf("%v; %s\n", m, m.Hint)
		}
	}
	// Output:
	// parameter lr: min is 0, but log needs a bound above zero; give a positive min
	// parameter n: max is 10, which steps of 4 from min 1 do not reach; give max 9 or 13
}

// Searching a discrete space: all points when there are few, neighbours when there are many.
func ExampleSpace_Neighbours() {
	s, _ := space.New([]space.Param{
		{Name: "layers", Kind: space.KindInt, Min: 1, Max: 4},
		{Name: "bias", Kind: space.KindBool},
	})
	n, _ := s.Size()
	fmt.Println(n, "settings")
	for _, u := range s.Neighbours([]float64{0.4, 0}) {
		fmt.Println(u, s.Decode(u))
	}
	// Output:
	// 8 settings
	// [0.125 0] map[bias:false layers:1]
	// [0.625 0] map[bias:false layers:3]
	// [0.375 1] map[bias:true layers:2]
}
