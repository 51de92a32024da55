package storetest

import (
	"context"
	"testing"

	"github.com/eke-bo/eke/store"
)

// Run tests a store. Each call of open returns a new, empty store, which Run closes.
func Run(t *testing.T, open func(t *testing.T) store.Store) {
	tests := []struct {
		name string
		test func(*testing.T, context.Context, store.Store)
	}{
		{"create", create},
		{"refused headers", refusedHeaders},
		{"names", names},
		{"not found", notFound},
		{"append", appends},
		{"conflict", conflict},
		{"numbering", numbering},
		{"all or nothing", allOrNothing},
		{"read after", readAfter},
		{"studies are apart", apart},
		{"events come back whole", whole},
		{"large bodies", largeBodies},
		{"many events", manyEvents},
		{"nothing is shared", nothingShared},
		{"load", load},
		{"load a log that breaks the law", loadUnlawful},
		{"update", update},
		{"update refused by the law", updateRefused},
		{"update from many goroutines", updateAtOnce},
		{"a cancelled context", cancelled},
		{"touch", touch},
		{"delete", deletes},
		{"rename", renames},
		{"identities", identities},
		{"chained", chained},
		{"followed", followed},
		{"tokens", tokens},
		{"refused tokens", refusedTokens},
		{"tokens added at once", tokensAtOnce},
		{"a store that had tokens", guarded},
		{"heads", heads},
		{"files", files},
		{"closed", closed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := open(t)
			defer s.Close()
			tt.test(t, t.Context(), s)
		})
	}
}
