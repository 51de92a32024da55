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

// Near zero, values are as short as elsewhere. What an earlier version wrote there is the same setting.
func TestStepsNearZero(t *testing.T) {
	for _, c := range []struct {
		min, max, step, was float64
		want                string
	}{
		{-0.3, 0.3, 0.1, 5.55111512312578e-17, "0"},
		{-0.3, 0.3, 0.1, -0.1, "-0.1"},
		{-9.9, 9.9, 0.1, 0.0999999999999996, "0.1"},
		{-1000, 1000, 0.1, 0.100000000000023, "0.1"},
		{-1e-9, 1e-9, 2e-10, 2e-10, "2e-10"},
		{0, 1e17, 1e16, 3e16, "30000000000000000"},
	} {
		s, err := New([]Param{{Name: "x", Kind: KindFloat, Min: c.min, Max: c.max, Step: c.step}})
		if err != nil {
			t.Fatal(err)
		}
		old := Setting{"x": Float(c.was)}
		point, err := s.Encode(old)
		if err != nil {
			t.Fatal(err)
		}
		now := s.Decode(point)
		again, err := s.Encode(now)
		if got := now["x"].String(); err != nil || got != c.want || again[0] != point[0] || s.Key(old) != s.Key(now) {
			t.Errorf("%v became %s, at %v and %v, keys %s and %s, %v", c.was, got, point, again, s.Key(old), s.Key(now), err)
		}
	}
	s, err := New([]Param{{Name: "x", Kind: KindFloat, Min: -0.3, Max: 0.3, Step: 0.1}}, "x == 0 or x > 0.25")
	if points, ok := s.Enumerate(10); err != nil || !ok || len(points) != 2 {
		t.Errorf("%v, %v", points, err)
	}
}
