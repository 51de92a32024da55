package study

import (
	"fmt"
	"regexp"
)

// PolicyNames lists the policies that a study file may name. Besides these there is n-bmsei-p, which plans n steps ahead, for n
// from 2 to 12.
func PolicyNames() []string {
	return []string{"auto", "random", "ei", "ei-puc", "ei-puc-cc", "log-ei-puc", "gittins", "gittins-d", "rollout", "2-bmsei", "4-bmsei", "2-bmsei-p", "4-bmsei-p", "bmsei", "look-tree", "asha", "asha-model", "hyperband", "hyperband-model"}
}

var pathPolicy = regexp.MustCompile(`^([2-9]|1[0-2])-bmsei-p$`)

// A tree of fantasies has at most as many steps as the longest path, and at most as many nodes as policies allow; the
// paper's tree, 4, 4, 2, has 53.
const (
	maxFantasies = 64
	maxSteps     = 11
	maxNodes     = 20_000
	maxDesign    = 10_000
	maxParallel  = 1024
)

func (r *reader) readPolicy(n *node) Policy {
	p := Policy{Name: defaultPolicy, Preset: PresetDefault}
	hint := "write policy: {name: auto}"
	if n != nil && n.is == isText && n.text != "" {
		hint = "write policy: {name: " + quoteYAML(n.text) + "}"
	}
	f, ok := r.fields(n, "policy", policyKeys, hint)
	if !ok {
		return p
	}
	if name := f.m["name"]; name != nil && name.is == isText && pathPolicy.MatchString(name.text) {
		p.Name = name.text
	} else if word, ok := r.word(name, "policy.name", PolicyNames()); ok {
		p.Name = word
	}
	if word, ok := r.word(f.m["preset"], "policy.preset", presets); ok {
		p.Preset = Preset(word)
	}
	design, _ := r.whole(f.m["design"], "policy.design", 1, maxDesign)
	p.Design = int(design)
	p.Fantasies = r.readFantasies(f, p.Name)
	return p
}

func (r *reader) readFantasies(f fields, name string) (counts []int) {
	const path = "policy.fantasies"
	n := f.m["fantasies"]
	switch {
	case n == nil && name == "bmsei":
		f.need("fantasies", "write fantasies: [4, 4, 2], or name: auto")
		return nil
	case n == nil:
		return nil
	case name != "bmsei":
		r.fail(n.keyAt, path, "leave it out, or write name: bmsei", "fantasies does not go with the policy %s", name)
		return nil
	}
	items, ok := r.list(n, path, "write fantasies: [4, 4, 2]")
	if !ok {
		return nil
	}
	if len(items) == 0 || len(items) > maxSteps {
		r.fail(n.at, path, fmt.Sprintf("give from 1 to %d numbers, such as [4, 4, 2]", maxSteps), "fantasies has %d numbers", len(items))
		return nil
	}
	nodes, level := 1.0, 1.0
	for i, item := range items {
		m, ok := r.whole(item, fmt.Sprintf("%s[%d]", path, i), 1, maxFantasies)
		if !ok {
			return nil
		}
		counts = append(counts, int(m))
		level *= m
		nodes += level
	}
	if nodes > maxNodes {
		r.fail(n.at, path, "give smaller numbers, such as [4, 4, 2]", "fantasies makes a tree of %.0f nodes, more than %d", nodes, maxNodes)
	}
	return counts
}
