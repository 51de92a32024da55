package eke

import (
	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/internal/fault"
)

// Reasons why Ask has no trial. With all but ErrBudgetPending the study is over, unless trials under way change that. There are others, such
// as that somebody ended the study; Over knows all of them.
var (
	// ErrBudgetSpent says that no money is left, or too little for any trial.
	ErrBudgetSpent = advisor.ErrBudgetSpent

	// ErrBudgetPending says that the trials under way are expected to use up what is left: tell their results first.
	ErrBudgetPending = advisor.ErrBudgetPending

	// ErrNotWorth says that no affordable setting is worth trying.
	ErrNotWorth = advisor.ErrNotWorth

	// ErrExhausted says that every setting has been tried.
	ErrExhausted = advisor.ErrExhausted
)

// ErrNoResult is what Best returns before there is a result that counts.
var ErrNoResult error = fault.New(fault.NotFound, "", "no trial has returned a value within the budget")

// Over says whether an error of Ask's means that the study is over: nothing more is suggested unless a trial under way ends, money is added or
// the study is changed.
func Over(err error) bool { return fault.CodeOf(err).Over() }
