package local

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/eke-bo/eke/internal/engine"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

const paramPrefix = "EKE_PARAM_"

// environ returns the command's environment. What an eke further up has set is taken out: a parameter that does
// not exist in this setting must not be found there.
func environ(j *engine.Job, inherited []string, files files) []string {
	own := []string{
		"EKE_TRIAL=" + strconv.Itoa(j.Trial),
		"EKE_STUDY=" + j.Study,
		"EKE_DIR=" + files.dir,
		"EKE_PARAMS=" + files.path(engine.ParamsFile),
		"EKE_RESULT=" + files.path(engine.ResultFile),
	}
	env := slices.DeleteFunc(slices.Clone(inherited), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return strings.HasPrefix(name, paramPrefix) ||
			slices.ContainsFunc(own, func(o string) bool { return strings.HasPrefix(o, name+"=") })
	})
	return append(append(env, own...), paramVariables(j.Setting)...)
}

// paramVariables returns a variable for each parameter. Names that become the same variable get none: a program
// that finds none complains, and one that finds the other's value does not.
func paramVariables(setting space.Setting) []string {
	owners := map[string]int{}
	for name := range setting {
		owners[study.Variable(name)]++
	}
	var list []string
	for _, name := range slices.Sorted(maps.Keys(setting)) {
		if v := study.Variable(name); owners[v] == 1 {
			list = append(list, v+"="+setting[name].String())
		}
	}
	return list
}
