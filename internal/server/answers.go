package server

import (
	"context"
	"net/http"
	"runtime"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/eke-bo/eke/internal/api"
)

// A long answer takes the processor while it is written, and memory until it is sent, which may take as long as its receiver likes. So few of
// them are written at once: for all together, and for one token or group.
const mostAnswers, someAnswers = 8, 3

// long describes an operation with long answers.
func (s *Server) long(path, id, summary string, need Role) huma.Operation {
	op := operation(http.MethodGet, path, id, summary, need)
	op.Middlewares = huma.Middlewares{s.fewAtOnce}
	return op
}

// fewAtOnce is for operations with long answers.
func (s *Server) fewAtOnce(ctx huma.Context, next func(huma.Context)) {
	_, w := humago.Unwrap(ctx)
	sent, refused := s.beginAnswer(ctx.Context())
	if refused != nil {
		write(w, refused)
		return
	}
	defer sent()
	next(ctx)
}

// beginAnswer waits until a long answer may be written.
func (s *Server) beginAnswer(ctx context.Context) (sent func(), refused *api.Problem) {
	waiting, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	sent, err := s.answers.take(waiting, senderIn(ctx), 1)
	if err != nil {
		return nil, crowded("%d long answers are being sent, or %d to one token or group, the most that this server sends at once", mostAnswers, someAnswers)
	}
	return sent, nil
}

// newThinkers is for choices of trials, each of which uses as many processors as there are. Of one token or group there are as many at once
// as there are processors, so that another's choice soon gets its share of them.
func newThinkers() *shares {
	some := int64(max(runtime.GOMAXPROCS(0), 2))
	return newShares(2*some, some, some, oneRequests)
}
