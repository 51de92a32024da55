package store_test

import (
	"context"
	"fmt"
	"time"

	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/study"
)

// Update decides on the study as it stands. If another process was faster, it decides again.
func ExampleFollower_Update() {
	ctx, s := context.Background(), store.Memory()
	defer s.Close()
	err := s.Create(ctx, store.Header{Name: "kiln", Definition: []byte(`{}`), Created: time.Now(), Total: 60})
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := store.Follow(s, "kiln").Update(ctx, func(r *study.Record, _ store.Header) ([]study.Event, error) {
		return []study.Event{{Kind: study.EventBudget, At: time.Now(), Added: 10}}, nil
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Ledger.Total, "after event", r.Version)
	// Output: 70 after event 1
}
