package fault

import "errors"

// Detail is one thing that is wrong, ready to be shown.
type Detail struct {
	Message string // the problem together with its place, on one line
	Problem string // the problem alone
	Hint    string // what to do about it; empty: there is nothing to say
	Field   string // such as parameters.lr.min; empty: the whole
	Line    int    // from 1; 0: the problem has no place in a text
	Column  int    // from 1, in characters
	Excerpt string // the line with a mark below the column; empty: the problem has no place in a text
}

// List is an error that consists of several, such as all mistakes in a study file. It has at least one detail.
type List interface {
	coded
	Details() []Detail
}

// Details says what is wrong: the details of the first List in the chain, or else the error as a whole. There is at least
// one.
func Details(err error) []Detail {
	var list List
	if errors.As(err, &list) {
		if details := list.Details(); len(details) > 0 {
			return details
		}
	}
	return []Detail{{Message: err.Error(), Problem: err.Error(), Hint: HintOf(err)}}
}
