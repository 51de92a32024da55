package study

import (
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/eke-bo/eke/internal/fault"
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

// Stop says when a study ends although there is money left. The zero value ends it when the whole rest of the money is expected
// to gain less than a thousandth of the spread of the values seen; with several objectives, of the hypervolume.
type Stop struct {
	Never bool    // Never says that all the money is to be spent.
	Gain  float64 // Gain is how much the whole rest has to be expected to gain, in units of the objective or of the hypervolume; 0 is the default.
}

const stopHint = "write stop: never to spend all, or stop: {gain: 0.01}"

// stopNever is the word for Stop.Never.
const stopNever = "never"

func (r *reader) readStop(n *node) (s Stop) {
	switch {
	case n == nil:
		return s
	case n.is == isText && n.text == stopNever:
		return Stop{Never: true}
	case n.is == isText:
		r.fail(n.at, "stop", stopHint, "stop is %s, but must be never or a mapping", quoteShort(n.text))
		return s
	}
	f, ok := r.fields(n, "stop", stopKeys, stopHint)
	if !ok {
		return s
	}
	gain := f.need("gain", "give the smallest gain that the rest of the money is worth spending for")
	if s.Gain, ok = r.number(gain, "stop.gain"); ok && s.Gain <= 0 {
		r.fail(gain.at, "stop.gain", "give a number above 0; to spend all the money, write stop: never", "gain is %s", gain.text)
	}
	return s
}

// ParseStop reads what a flag says: never, or a gain.
func ParseStop(text string) (s Stop, err error) {
	if text == stopNever {
		return Stop{Never: true}, nil
	}
	if _, err := fmt.Sscan(text, &s.Gain); err != nil || !(s.Gain > 0) || s.Gain-s.Gain != 0 {
		return Stop{}, fault.New(fault.BadRequest, "give never, or the smallest gain that the rest of the money is worth spending for", "stop is %s", quoteShort(text))
	}
	return s, nil
}

// String writes the rule as a study file has it; the default has no words there.
func (s Stop) String() string {
	switch {
	case s.Never:
		return stopNever
	case s.Gain > 0:
		return "{gain: " + formatNumber(s.Gain) + "}"
	}
	return ""
}

type stopJSON struct {
	Gain float64 `json:"gain"`
}

// MarshalJSON writes the rule as a study file has it.
func (s Stop) MarshalJSON() ([]byte, error) {
	if s.Never {
		return json.Marshal(stopNever)
	}
	return json.Marshal(stopJSON{s.Gain})
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (s *Stop) UnmarshalJSON(raw []byte) error {
	var word string
	if json.Unmarshal(raw, &word) == nil {
		if word != stopNever {
			return fmt.Errorf("stop is %q, but must be never or {\"gain\": …}", word)
		}
		*s = Stop{Never: true}
		return nil
	}
	var in stopJSON
	err := json.Unmarshal(raw, &in)
	*s = Stop{Gain: in.Gain}
	return err
}

// Notify says who is told what happens in a run.
type Notify struct {
	Command []string `json:"command,omitempty"` // Command is a program and its arguments. It gets the news as JSON on stdin.
	URL     string   `json:"url,omitempty"`     // URL is where the news is posted as JSON.
	On      []Notice `json:"on,omitempty"`      // On lists what they are told of; if it is empty, of everything.
}

// Notice is a kind of news.
type Notice string

const (
	NoticeBest    Notice = "best"    // NoticeBest says that there is a new best result.
	NoticeEnd     Notice = "end"     // NoticeEnd says that a run has ended.
	NoticeTrouble Notice = "trouble" // NoticeTrouble says that something is wrong, such as a full disk, or trials that fail.
)

var notices = []string{string(NoticeBest), string(NoticeEnd), string(NoticeTrouble)}

// Wants reports whether somebody wants to know.
func (n *Notify) Wants(what Notice) bool {
	return n != nil && (len(n.On) == 0 || slices.Contains(n.On, what))
}

func (r *reader) readNotify(n *node) *Notify {
	f, ok := r.fields(n, "notify", notifyKeys, `write notify: {command: ["notify-send", "eke"]}, or {url: https://…}`)
	if !ok {
		return nil
	}
	out := &Notify{}
	if c := f.m["command"]; c != nil {
		items, _ := r.list(c, "notify.command", `write command: ["notify-send", "eke"]`)
		for i, item := range items {
			if text, ok := r.text(item, fmt.Sprintf("notify.command[%d]", i)); ok {
				out.Command = append(out.Command, text)
			}
		}
	}
	if address, ok := r.text(f.m["url"], "notify.url"); ok {
		if u, err := url.Parse(address); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			r.fail(f.m["url"].at, "notify.url", "write it like https://ntfy.example.org/kiln", "url is %s, which is not an address", quoteShort(address))
		}
		out.URL = address
	}
	items, _ := r.list(f.m["on"], "notify.on", "write on: [best, end, trouble]")
	for i, item := range items {
		if word, ok := r.word(item, fmt.Sprintf("notify.on[%d]", i), notices); ok {
			out.On = append(out.On, Notice(word))
		}
	}
	if f.m["command"] == nil && f.m["url"] == nil {
		r.fail(n.keyAt, "notify", "give a command, a url, or both", "notify does not say whom to tell")
	}
	return out
}

// formatNotify writes it so that it reads back as the same.
func formatNotify(n *Notify) string {
	var parts []string
	if len(n.Command) > 0 {
		words := make([]string, len(n.Command))
		for i, word := range n.Command {
			words[i] = quoteText(word)
		}
		parts = append(parts, "command: ["+strings.Join(words, ", ")+"]")
	}
	if n.URL != "" {
		parts = append(parts, "url: "+strconv.Quote(n.URL))
	}
	if len(n.On) > 0 {
		words := make([]string, len(n.On))
		for i, word := range n.On {
			words[i] = string(word)
		}
		parts = append(parts, "on: ["+strings.Join(words, ", ")+"]")
	}
	return "{" + strings.Join(parts, ", ") + "}"
}
