package storetest_test

import (
	"testing"

	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/store/storetest"
)

// Every store passes the same tests; a new one is held to them by a test of its own.
func ExampleRun() {
	_ = func(t *testing.T) {
		storetest.Run(t, func(*testing.T) store.Store { return store.Memory() })
	}
}
