package site

// group is a part of the navigation.
type group struct {
	Title string
	Files []string
}

// outline is the navigation: the pages of docs/README.md, in its groups. Pages that only other pages link to are on the website as well.
var outline = []group{
	{"Start", []string{"README.md", "docs/README.md", "docs/TUTORIAL.md", "docs/PYTHON.md", "docs/LAB.md", "docs/COMING-FROM.md", "docs/OPTUNA.md", "docs/GALLERY.md", "docs/FAQ.md"}},
	{"Use", []string{"docs/TOOL.md", "docs/COSTS.md", "docs/FIDELITY.md", "docs/SERVICE.md", "docs/API.md", "docs/CLUSTER.md", "clients/python/README.md", "docs/LIBRARY.md", "examples/README.md"}},
	{"Understand", []string{"docs/POLICIES.md", "docs/RESULTS.md", "docs/PERFORMANCE.md", "docs/PAPER.md", "MATH.md", "bench/NOTES.md"}},
	{"Take part", []string{"CONTRIBUTING.md", "docs/RELIABILITY.md", "docs/CHECKS.md", "bench/README.md", "docs/EXTERNAL.md", "docs/RELEASES.md", "SECURITY.md", "CHANGELOG.md"}},
}

// short are titles for the navigation, where that of the page is too long for it.
var short = map[string]string{
	"README.md":                "What eke is",
	"docs/README.md":           "All pages",
	"docs/TUTORIAL.md":         "Tutorial: the command line",
	"docs/PYTHON.md":           "Tutorial: Python",
	"docs/LAB.md":              "Tutorial: in the lab",
	"docs/SERVICE.md":          "The service",
	"docs/API.md":              "The HTTP API",
	"docs/EXTERNAL.md":         "Your optimiser",
	"bench/NOTES.md":           "Notes: measurements",
	"clients/python/README.md": "The Python package",
}
