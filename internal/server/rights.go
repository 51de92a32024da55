package server

import (
	"context"
	"net/http"
)

// A token with a group is for the studies of that group: to it, there are no others. A token without a group is for all studies. The
// owner of a study may do with it what an admin may.

// sees reports whether the sender of the current request may know of a study of a group.
func sees(ctx context.Context, group string) bool {
	mine := tokenIn(ctx).Group
	return mine == "" || mine == group
}

// isOwner reports whether a request comes from the owner of a study.
func (s *Server) isOwner(r *http.Request, name string) bool {
	t, refused := s.admit(r, Worker)
	if refused != nil || t.ID == "" {
		return false
	}
	_, record, err := s.open(r.Context(), name)
	return err == nil && record.Labels.Owner == t.ID
}
