package space

import "testing"

// The values of a float with a step are those that a person would write.
func TestSteps(t *testing.T) {
	s, err := New([]Param{{Name: "x", Kind: KindFloat, Min: -0.1, Max: 0.5, Step: 0.1}})
	if err != nil {
		t.Fatal(err)
	}
	points, ok := s.Enumerate(10)
	if !ok || len(points) != 7 {
		t.Fatalf("%v", points)
	}
	for i, want := range []string{"-0.1", "0", "0.1", "0.2", "0.3", "0.4", "0.5"} {
		if got := s.Decode(points[i])["x"].String(); got != want {
			t.Errorf("step %d is %s, want %s", i, got, want)
		}
	}
	for v, want := range map[Value]string{
		Float(0.3):       "",
		Float(0.1 + 0.2): "", // not quite 0.3
		Int(0):           "",
		Float(0.25):      "parameter x: value is 0.25, which steps of 0.1 from -0.1 do not reach; give 0.2 or 0.3",
		Float(0.6):       "parameter x: value is 0.6, above max; give a number from -0.1 to 0.5 in steps of 0.1",
		Float(-0.2):      "parameter x: value is -0.2, below min; give a number from -0.1 to 0.5 in steps of 0.1",
		String("a"):      `parameter x: value is "a", which is not a number; give a number from -0.1 to 0.5 in steps of 0.1`,
	} {
		_, err := s.Encode(Setting{"x": v})
		if err == nil != (want == "") || err != nil && told(err) != want {
			t.Errorf("%v: %v", v, err)
		}
	}
}
