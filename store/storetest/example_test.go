package storetest_test

import (
	"testing"

	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/store/storetest"
)

// A new store has a test that runs these tests on it.
func ExampleRun() {
	_ = func(t *testing.T) {
		storetest.Run(t, func(*testing.T) store.Store { return store.Memory() })
	}
}
