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
	unlock, err := m.enter(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if slices.ContainsFunc(m.tokens, func(known Token) bool { return known.ID == t.ID || known.Hash == t.Hash }) {
		return TokenExists(t.ID)
	}
	t.Created = t.Created.UTC().Round(0) // drops the monotonic clock
	m.tokens = append(m.tokens, t)
	return nil
}

func (m *memory) Tokens(ctx context.Context) ([]Token, error) {
	unlock, err := m.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	return slices.Clone(m.tokens), nil
}

func (m *memory) RevokeToken(ctx context.Context, id string) error {
	unlock, err := m.enter(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	before := len(m.tokens)
	m.tokens = slices.DeleteFunc(m.tokens, func(t Token) bool { return t.ID == id })
	if len(m.tokens) == before {
		return NoToken(id)
	}
	return nil
}
