package study

import (
	"encoding/json"
	"math"
	"reflect"
	"testing"
)

// Reasons as older logs have them, without quantiles, are read; newer ones come back as they were.
func TestExpectedIsRead(t *testing.T) {
	const nineInTen = 1.2815515655446004 // Φ⁻¹(0.9)
	var old Expected
	if err := json.Unmarshal([]byte(`{"value":1,"value_sd":2,"cost":3.297442541400256,"cost_sd":1,"cost_median":2,"fits":0.5}`), &old); err != nil {
		t.Fatal(err)
	}
	// The mean is exp(1/2) times the median, so σ = 1.
	if math.Abs(old.CostHigh/old.CostMedian-math.Exp(nineInTen)) > 1e-12 || math.Abs(old.CostLow*old.CostHigh-4) > 1e-12 || old.Fits != 0.5 || old.Value != 1 {
		t.Errorf("%+v", old)
	}
	if old.ValueLow != 1-2*nineInTen || old.ValueHigh != 1+2*nineInTen {
		t.Errorf("the value is between %v and %v", old.ValueLow, old.ValueHigh)
	}
	if err := json.Unmarshal([]byte(`{"value":1,"cost":2,"cost_median":2}`), &old); err != nil || old.CostLow != 2 || old.CostHigh != 2 {
		t.Errorf("%+v, %v", old, err)
	}
	now := Expected{Value: -1, ValueSD: 2, ValueLow: -5, ValueHigh: 0, Cost: 3, CostSD: 4, CostLow: 1, CostMedian: 2, CostHigh: 5, Fits: 0.25}
	raw, err := json.Marshal(now)
	if err != nil {
		t.Fatal(err)
	}
	var again Expected
	if err := json.Unmarshal(raw, &again); err != nil || !reflect.DeepEqual(again, now) {
		t.Errorf("%+v came back as %+v, %v", now, again, err)
	}
}
