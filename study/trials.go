package study

import (
	"errors"
	"fmt"

	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/space"
)

// maxOwn is how many settings of their own people may list in a study file.
const maxOwn = 1000

// readTrials reads the settings to try first. They are checked against the parameters, once these are right.
func (r *reader) readTrials(n *node, params []space.Param, where []string) (list []space.Setting) {
	const hint = "write trials: [{name: value}]"
	if n == nil {
		return nil
	}
	items, ok := r.list(n, "trials", hint)
	if ok && (len(items) == 0 || len(items) > maxOwn) {
		r.fail(n.at, "trials", fmt.Sprintf("give 1 to %d settings, or leave it out", maxOwn), "trials has %d settings", len(items))
		return nil
	}
	sp, err := space.New(params, where...)
	if err != nil {
		return nil
	}
	for i, item := range items {
		path := fmt.Sprintf("trials[%d]", i)
		if setting, ok := r.readSetting(item, path, sp); ok {
			list = append(list, setting)
		}
	}
	return list
}

func (r *reader) readSetting(n *node, path string, sp *space.Space) (space.Setting, bool) {
	if !r.expect(n, isMapping, path, "a mapping", "write {name: value}") {
		return nil, false
	}
	setting, at, noted := space.Setting{}, map[string]*node{}, len(r.errs)+r.more
	for _, e := range n.entries {
		at[e.key] = e.value
		if v, ok := r.value(e.value, join(path, e.key)); ok {
			setting[e.key] = v
		}
	}
	if len(r.errs)+r.more > noted {
		return nil, false
	}
	setting = sp.Complete(setting)
	_, err := sp.Encode(setting)
	if err == nil {
		if err := sp.Allows(setting); err != nil {
			r.fail(n.at, path, fault.HintOf(err), "%v", err)
			return nil, false
		}
		return setting, true
	}
	list, _ := errors.AsType[space.Errors](err)
	for _, e := range list {
		where := n.at
		if value := at[e.Param]; value != nil {
			where = value.at
		}
		r.fail(where, join(path, e.Param), e.Hint, "%s", e.Problem)
	}
	return nil, false
}
