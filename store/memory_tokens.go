package store

import (
	"context"
	"slices"
)

var _ Tokens = (*memory)(nil)

func (m *memory) AddToken(ctx context.Context, t Token) error {
	if err := t.Check(); err != nil {
		return err
	}
	return m.locked(ctx, func() error {
		if slices.ContainsFunc(m.tokens, func(known Token) bool { return known.ID == t.ID || known.Hash == t.Hash }) {
			return TokenExists(t.ID)
		}
		t.Created = t.Created.UTC().Round(0) // drops the monotonic clock
		m.tokens, m.guarded = append(m.tokens, t), true
		return nil
	})
}

func (m *memory) Tokens(ctx context.Context) (list []Token, err error) {
	err = m.locked(ctx, func() error {
		list = slices.Clone(m.tokens)
		return nil
	})
	return list, err
}

func (m *memory) Guarded(ctx context.Context) (guarded bool, err error) {
	err = m.locked(ctx, func() error {
		guarded = m.guarded
		return nil
	})
	return guarded, err
}

func (m *memory) RevokeToken(ctx context.Context, id string) error {
	return m.locked(ctx, func() error {
		before := len(m.tokens)
		m.tokens = slices.DeleteFunc(m.tokens, func(t Token) bool { return t.ID == id })
		if len(m.tokens) == before {
			return NoToken(id)
		}
		return nil
	})
}
