package api

import (
	"context"
	"fmt"
	"net/http"

	"github.com/eke-bo/eke/study"
)

// Studies returns all studies that the token may see, in the order of their creation.
func (c *Client) Studies(ctx context.Context) (list []Summary, err error) {
	for path := "/studies"; ; path = fmt.Sprintf("/studies?skip=%d", len(list)) {
		page, err := call[Studies](ctx, c, callTimeout, http.MethodGet, path, "", nil)
		if err != nil {
			return nil, err
		}
		if page.Studies == nil {
			return nil, c.foreign(http.StatusOK, "it sent no list of studies")
		}
		if list = append(list, page.Studies...); len(page.Studies) == 0 || len(list) >= page.Total {
			return list, nil
		}
	}
}

// AddBudget adds money to a study's budget.
func (c *Client) AddBudget(ctx context.Context, p Place, amount float64) error {
	return order[Study](ctx, c, p, "/budget", BudgetRequest{Add: amount})
}

// Pause keeps a study from handing out trials, or lets it hand them out again.
func (c *Client) Pause(ctx context.Context, p Place, pause bool) error {
	return order[Study](ctx, c, p, map[bool]string{true: "/pause", false: "/resume"}[pause], nil)
}

// Archive puts a study away, or takes it out again.
func (c *Client) Archive(ctx context.Context, p Place, archive bool) error {
	return order[Study](ctx, c, p, "/archive", ArchiveRequest{Undo: !archive})
}

// Enqueue has a setting tried next.
func (c *Client) Enqueue(ctx context.Context, p Place, wanted EnqueueRequest, key string) (study.Item, error) {
	i, err := call[Item](ctx, c, callTimeout, http.MethodPost, p.path()+"/queue", key, wanted, p)
	return i.Study(), err
}

// Dequeue takes an item out of the queue.
func (c *Client) Dequeue(ctx context.Context, p Place, item int) error {
	return order[Queue](ctx, c, p, fmt.Sprintf("/queue/%d/drop", item), nil)
}

// Retry has the settings of trials tried again. It returns the items of the queue.
func (c *Client) Retry(ctx context.Context, p Place, trials []int) (items []study.Item, err error) {
	q, err := call[Queue](ctx, c, callTimeout, http.MethodPost, p.path()+"/retry", "", RetryRequest{Trials: trials}, p)
	for _, i := range q.Items {
		items = append(items, i.Study())
	}
	return items, err
}

// Forget has trials and known results ignored, or counted again.
func (c *Client) Forget(ctx context.Context, p Place, which ForgetRequest) error {
	return order[Study](ctx, c, p, "/forget", which)
}

// Correct corrects a trial that has ended.
func (c *Client) Correct(ctx context.Context, p Place, to CorrectRequest) error {
	return order[Trial](ctx, c, p, "/correct", to)
}

// Stop has a running trial stopped.
func (c *Client) Stop(ctx context.Context, p Place) error {
	return order[Trial](ctx, c, p, "/stop", nil)
}

// order sends a request whose answer, a T, says no more than that it was done.
func order[T any](ctx context.Context, c *Client, p Place, path string, in any) error {
	_, err := call[T](ctx, c, callTimeout, http.MethodPost, p.path()+path, "", in, p)
	return err
}
