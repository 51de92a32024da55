package study

import (
	"fmt"
	"maps"
	"slices"

	"github.com/eke-bo/eke/internal/cluster"
	"github.com/eke-bo/eke/space"
)

// Slot is a place for one trial at a time on a machine, such as a GPU.
type Slot struct {
	Env map[string]string `json:"env,omitempty"` // Env holds the variables that trials in this slot get. They win over the variables of the study.
}

// GPUsAuto says that a machine has a slot for each of its GPUs.
const GPUsAuto = "auto"

// Protocol is how a command gets settings and reports results. The zero value means that every trial starts the command.
type Protocol string

// ProtocolLines says that a command stays alive. It reads a setting per line, as JSON, and prints a result per line.
const ProtocolLines Protocol = "lines"

// HasSlots reports whether trials run in slots that the study describes, or that a machine's GPUs are.
func (s *Study) HasSlots() bool { return len(s.Slots) > 0 || s.GPUs != "" }

// SlotEnviron is Environ of the variables of a slot.
func (s *Study) SlotEnviron(slot Slot, setting space.Setting, extra map[string]string) ([]string, error) {
	of := *s
	of.Env = slot.Env
	return of.Environ(setting, extra)
}

var (
	slotKeys  = []string{"env"}
	gpuWords  = []string{GPUsAuto}
	protocols = []string{string(ProtocolLines)}
)

// readSlots reads the slots, and how many trials run at once, which is at most one in each.
func (r *reader) readSlots(f fields, s *Study, params []space.Param) {
	list, at, gpus := f.m["slots"], f.m["parallel"], f.m["gpus"]
	s.GPUs, _ = r.word(gpus, "gpus", gpuWords)
	if count, ok := r.whole(at, "parallel", 1, maxParallel); ok {
		s.Parallel = int(count)
	} else if gpus != nil {
		s.Parallel = 0 // as many as there are GPUs, which is known where the trials run
	}
	for _, key := range []string{"slots", "gpus"} {
		if n := f.m[key]; n != nil && f.m["engine"] != nil {
			kind := engineKind(f)
			r.fail(n.keyAt, key, "leave it out; ask for GPUs in engine."+kind.In+", such as "+kind.Hints[cluster.GPUHours], "%s gives every job devices of its own, so %s does not go with engine", kind.Title, key)
			return
		}
	}
	if list == nil {
		return
	}
	const hint = `write slots: [{env: {CUDA_VISIBLE_DEVICES: "0"}}, {env: {CUDA_VISIBLE_DEVICES: "1"}}]`
	items, ok := r.list(list, "slots", hint)
	switch {
	case !ok:
		return
	case gpus != nil:
		r.fail(list.keyAt, "slots", "leave one of them out", "slots does not go with gpus")
	case len(items) == 0:
		r.fail(list.at, "slots", hint, "slots is empty")
	case len(items) > maxParallel:
		r.fail(list.at, "slots", fmt.Sprintf("give at most %d", maxParallel), "there are %d slots", len(items))
	}
	for i, item := range items {
		path := fmt.Sprintf("slots[%d]", i)
		var slot Slot
		if f, ok := r.fields(item, path, slotKeys, hint); ok {
			slot.Env = r.readVariables(f.m["env"], path+".env", params)
		}
		s.Slots = append(s.Slots, slot)
	}
	switch {
	case at == nil && len(items) > 0:
		s.Parallel = len(items)
	case at != nil && s.Parallel > len(items) && len(items) > 0:
		r.fail(at.at, "parallel", fmt.Sprintf("give at most %d, leave it out, or add slots", len(items)), "parallel is %d, but there are %d slots, each for one trial at a time", s.Parallel, len(items))
	}
}

// engineKind is the kind of cluster that a study file names; where the name is wrong the usual one.
func engineKind(f fields) *cluster.Kind {
	e := Engine{}
	for _, entry := range f.m["engine"].entries {
		if entry.key == "type" {
			e.Type = entry.value.text
		}
	}
	return e.kind()
}

// readProtocol reads how a command gets settings. A command that stays alive is started before its settings are known, so nothing that it is
// started with may mention a setting.
func (r *reader) readProtocol(f fields, s *Study) {
	n := f.m["protocol"]
	word, ok := r.word(n, "protocol", protocols)
	if !ok {
		return
	}
	s.Protocol = Protocol(word)
	switch {
	case f.m["command"] == nil:
		r.fail(n.keyAt, "protocol", "add the command, or leave protocol out", "protocol says how a command gets its settings, but there is no command")
		return
	case f.m["engine"] != nil:
		r.fail(n.keyAt, "protocol", "leave it out", "every trial is a job of its own on %s, so no command can stay alive for the next", engineKind(f).Title)
		return
	}
	for i, argument := range s.Command {
		r.checkConstant(f.m["command"].items[i], fmt.Sprintf("command[%d]", i), argument)
	}
	r.checkConstants(f.m["env"], "env", s.Env)
	for i, slot := range s.Slots {
		for _, e := range f.m["slots"].items[i].entries {
			r.checkConstants(e.value, fmt.Sprintf("slots[%d].env", i), slot.Env)
		}
	}
}

func (r *reader) checkConstants(n *node, path string, env map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(env)) {
		for _, e := range n.entries {
			if e.key == name {
				r.checkConstant(e.value, path+"."+name, env[name])
			}
		}
	}
}

// checkConstant refuses a text that differs from trial to trial.
func (r *reader) checkConstant(n *node, path, text string) {
	list, _ := pieces(text)
	for _, p := range list {
		if p.name != "" && p.name != "study" {
			r.fail(r.within(n.at, "{"+p.name+"}"), path, "leave it out: the setting comes as a line of JSON on stdin", "{%s} differs from trial to trial, but with protocol: lines the command is started once", p.name)
		}
	}
}
