package study

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/space"
)

// draft is a parameter being read: what its nodes said, and where they are.
type draft struct {
	param  space.Param
	fields fields
	wrong  bool // an error was noted; space has nothing to add
}

func (r *reader) readParameters(n *node) []space.Param {
	const hint = "write parameters: and below, indented, name: {type: float, min: 0, max: 1}"
	if !r.expect(n, isMapping, "parameters", "a mapping", hint) {
		return nil
	}
	if len(n.entries) == 0 {
		r.fail(n.at, "parameters", hint, "parameters is empty")
	}
	drafts := make([]draft, len(n.entries))
	names := make([]string, len(n.entries))
	for i, e := range n.entries {
		drafts[i] = r.readParameter(e)
		names[i] = e.key
	}
	for i := range drafts {
		r.readWhen(&drafts[i], names)
	}
	params := make([]space.Param, len(drafts))
	for i, d := range drafts {
		params[i] = d.param
	}
	r.checkVariables(drafts)
	r.checkSpace(params, drafts)
	return params
}

// checkVariables refuses names that become the same environment variable: a command could not tell them apart.
func (r *reader) checkVariables(drafts []draft) {
	owners := map[string]string{}
	for _, d := range drafts {
		name := d.param.Name
		variable := Variable(name)
		if first, taken := owners[variable]; taken && first != name {
			r.fail(d.fields.at, "parameters."+name, "give one of them another name", "%s and %s are the same environment variable, %s", first, name, variable)
		}
		owners[variable] = name
	}
}

// Variable returns the environment variable in which a command finds a parameter: every shell can spell it.
func Variable(parameter string) string {
	return "EKE_PARAM_" + strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z':
			return r - 'a' + 'A'
		case 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
			return r
		}
		return '_'
	}, parameter)
}

// readWhere reads the constraints. They are checked once the parameters are right.
func (r *reader) readWhere(n *node, params []space.Param) (where []string) {
	items, ok := r.list(n, "where", `write where: ["batch * accum <= 512"]`)
	if !ok {
		return nil
	}
	for i, item := range items {
		text, ok := r.text(item, fmt.Sprintf("where[%d]", i))
		if !ok {
			return nil
		}
		where = append(where, text)
	}
	if _, err := space.New(params); err != nil {
		return where // one thing after the other
	}
	_, err := space.New(params, where...)
	list, _ := errors.AsType[space.Errors](err)
	for _, e := range list {
		r.fail(items[e.Index].at, fmt.Sprintf("where[%d]", e.Index), e.Hint, "%s", e.Problem)
	}
	return where
}

func (r *reader) readParameter(e entry) (d draft) {
	path := "parameters." + e.key
	d.param.Name = e.key
	noted := len(r.errs) + r.more
	defer func() { d.wrong = len(r.errs)+r.more > noted || e.value.hasBroken() }()

	if slices.Contains(places, e.key) {
		r.fail(e.value.keyAt, path, "give it another name", "the name %s is taken: {%s} in a command is not a parameter", e.key, e.key)
	}
	hint := "write " + e.key + ": {type: float, min: 0, max: 1}"
	if e.value.is == isList && slices.ContainsFunc(e.value.items, func(n *node) bool { return n.is == isText }) {
		hint = "write " + e.key + ": {type: choice, values: [a, b, c]}"
	}
	var ok bool
	if d.fields, ok = r.fields(e.value, path, parameterKeys, hint); !ok {
		return d
	}
	f := d.fields
	kind, ok := r.word(f.need("type", "give "+fault.OneOf(space.Kinds())), path+".type", space.Kinds())
	if d.param.Kind = space.Kind(kind); ok {
		f.checkKeys(d.param.Kind)
	}
	d.param.Min, _ = r.number(f.m["min"], path+".min")
	d.param.Max, _ = r.number(f.m["max"], path+".max")
	d.param.Log = r.flag(f.m["log"], path+".log")
	if n := f.m["step"]; n != nil {
		if d.param.Step, ok = r.number(n, path+".step"); ok && d.param.Step == 0 {
			r.fail(n.at, path+".step", "give a step above zero", "step is 0") // to space, 0 is not given
		}
	}
	items, _ := r.list(f.m["values"], path+".values", "write values: [a, b]")
	for i, n := range items {
		if v, ok := r.value(n, fmt.Sprintf("%s.values[%d]", path, i)); ok {
			d.param.Values = append(d.param.Values, v)
		}
	}
	if n := f.m["value"]; n != nil {
		d.param.Value, _ = r.value(n, path+".value")
	}
	if n := f.m["default"]; n != nil {
		d.param.Default, _ = r.value(n, path+".default")
	}
	return d
}

// checkKeys compares the given keys with the keys that the type needs or may have. Only here can 0 be told from a key that is
// not there.
func (f fields) checkKeys(kind space.Kind) {
	keys := keysOf[kind]
	for _, key := range keys.needs {
		f.need(key, fmt.Sprintf("type %s needs %s", kind, strings.Join(keys.needs, " and ")))
	}
	for _, key := range parameterKeys {
		n := f.m[key]
		if n == nil || key == "type" || key == "when" || slices.Contains(keys.needs, key) || slices.Contains(keys.may, key) {
			continue
		}
		f.r.fail(n.keyAt, join(f.path, key), "leave it out, or give another type", "%s does not go with type %s", key, kind)
	}
}

// readWhen reads the conditions, once all names are known.
func (r *reader) readWhen(d *draft, names []string) {
	n, path := d.fields.m["when"], d.fields.path+".when"
	if !r.expect(n, isMapping, path, "a mapping", "write when: {other: value}") {
		d.wrong = d.wrong || n != nil
		return
	}
	if len(n.entries) == 0 {
		r.fail(n.at, path, "give a condition, such as {other: value}, or leave it out", "when is empty")
	}
	for _, e := range n.entries {
		if !slices.Contains(names, e.key) {
			others := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == d.param.Name })
			hint := "remove the condition"
			if len(others) > 0 {
				hint = suggest(e.key, others)
			}
			r.fail(e.value.keyAt, join(path, e.key), hint, "when names %s, which is not a parameter", quoteShort(e.key))
			d.wrong = true
			continue
		}
		c := space.Condition{Param: e.key}
		items, isOne := []*node{e.value}, e.value.is != isList
		if !isOne {
			items = e.value.items
		}
		for i, item := range items {
			at := join(path, e.key)
			if !isOne {
				at = fmt.Sprintf("%s[%d]", at, i)
			}
			v, ok := r.value(item, at)
			d.wrong = d.wrong || !ok
			c.Values = append(c.Values, v)
		}
		d.param.When = append(d.param.When, c)
	}
}

// checkSpace lets space check the parameters, and shows each of its errors at the place in the file.
func (r *reader) checkSpace(params []space.Param, drafts []draft) {
	sp, err := space.New(params)
	if err == nil && len(params) > 0 && sp.Dim() == 0 {
		r.fail(drafts[0].fields.at, "parameters", "give at least one of them a range or several values", "nothing can vary: every parameter has a single value")
	}
	list, _ := errors.AsType[space.Errors](err)
	wrong := map[string]bool{}
	for _, d := range drafts {
		wrong[d.param.Name] = d.wrong
	}
	aboutWrong := func(c space.Condition) bool { return wrong[c.Param] }
	for _, e := range list {
		if e.Index < 0 || e.Index >= len(drafts) || drafts[e.Index].wrong {
			continue
		}
		if e.Field == "when" && slices.ContainsFunc(params[e.Index].When, aboutWrong) {
			continue // the condition may be right once its parameter is
		}
		f := drafts[e.Index].fields
		at, path := f.at, f.path
		if e.Field != "name" {
			path = join(path, e.Field)
		}
		if n := f.m[e.Field]; n != nil {
			at = n.at
		}
		r.fail(at, path, e.Hint, "%s", e.Problem)
	}
}

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

// ReadValue reads a parameter's value from a text, such as one typed by a person or read from a table. A text that the parameter
// cannot mean becomes a string, which the space refuses with the reason.
func (s *Study) ReadValue(parameter, text string) space.Value {
	inputs := s.Inputs()
	i := slices.IndexFunc(inputs, func(p space.Param) bool { return p.Name == parameter })
	if i < 0 {
		return space.String(text)
	}
	switch p := inputs[i]; p.Kind {
	case space.KindFloat, space.KindInt:
		if n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64); err == nil {
			return space.Int(n)
		}
		if x, err := strconv.ParseFloat(strings.TrimSpace(text), 64); err == nil {
			return space.Float(x)
		}
	case space.KindBool:
		switch strings.ToLower(strings.TrimSpace(text)) {
		case "true", "1", "yes":
			return space.Bool(true)
		case "false", "0", "no":
			return space.Bool(false)
		}
	default:
		for _, isSame := range []func(space.Value, string) bool{func(v space.Value, text string) bool { return v.String() == text }, sameNumber} {
			for _, v := range append(slices.Clone(p.Values), p.Value) {
				if !v.IsZero() && isSame(v, text) {
					return v
				}
			}
		}
	}
	return space.String(text)
}

// sameNumber says whether a text stands for a number, in whatever way it is written.
func sameNumber(v space.Value, text string) bool {
	text = strings.TrimSpace(text)
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return v.Equal(space.Int(n))
	}
	x, isNumber := v.Number()
	y, err := strconv.ParseFloat(text, 64)
	return isNumber && err == nil && x == y
}

// CheckName returns an error if a study cannot have the name.
func CheckName(name string) error {
	if studyName.MatchString(name) {
		return nil
	}
	return fault.New(fault.BadRequest, "use letters a to z and A to Z, digits, _, - and ., at most 100", "a study cannot be called %q", name)
}
