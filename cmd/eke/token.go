package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/internal/server"
	"github.com/eke-bo/eke/store"
)

func tokenCommand(a *app) *cobra.Command {
	return family(&cobra.Command{
		Use:   "token",
		Short: "Manage who may use the server",
		Long: `Tokens say who may use the server (eke serve), and for what:

  reader   may look at studies
  worker   may also ask for trials and report their results
  admin    may also create studies, end them, and add to their budgets

A token with a group sees only the studies of that group. The creator of a study owns it, and may do with it what an admin may.

Once you have created a token, every request must carry one, even from this machine, and even when all tokens are revoked. A token is secret. It is shown
once, when it is created, and cannot be recovered from the store. Programs read it from $EKE_TOKEN or from a file, never from
their arguments, which everybody on the machine can see.`,
	}, tokenNewCommand(a), tokenListCommand(a), tokenRevokeCommand(a))
}

func tokenNewCommand(a *app) *cobra.Command {
	var role, name, group string
	cmd := &cobra.Command{
		Use:   "new --role ROLE [--name NAME]",
		Short: "Create a token, and show it once",
		Example: `  eke token new --role worker --name cluster
  EKE_TOKEN=$(eke token new --role worker) eke worker --server https://eke.example.org --study kiln`,
		SuggestFor: []string{"create", "add", "make"},
		Args:       atMost(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !slices.Contains(server.Roles(), server.Role(role)) {
				return usage("give --role reader, worker or admin; eke token --help explains them", "--role is %q", role)
			}
			kept, _, err := a.tokens(cmd.Context())
			if err != nil {
				return err
			}
			secret, t := server.NewToken(server.Role(role), name)
			t.Group = group
			if err := t.Check(); err != nil {
				return usage("give names of one line", "--name is %q and --group %q", name, group)
			}
			if err := kept.AddToken(cmd.Context(), t); err != nil {
				return err
			}
			created := struct {
				store.Token
				Secret string `json:"token"`
			}{t, secret}
			return a.show(created, func() {
				a.printf("%s\n", secret) // alone on stdout, so that it can be put into a variable
				fmt.Fprintf(a.err, "eke: token %s, role %s; it is not shown again\n", t.ID, t.Role)
			})
		},
	}
	cmd.Flags().StringVar(&role, "role", "", "reader, worker or admin")
	cmd.Flags().StringVar(&name, "name", "", "whose token it is, for your information")
	cmd.Flags().StringVar(&group, "group", "", "the group whose studies it is for; without one it is for all studies")
	return cmd
}

func tokenListCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:        "list",
		Short:      "List the tokens",
		Long:       "List the tokens: their IDs, their names, what they allow, and when they were created. Their secrets are kept nowhere.",
		Example:    `  eke token list`,
		SuggestFor: []string{"ls", "show"},
		Args:       atMost(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, list, err := a.tokensThere(cmd.Context())
			if err != nil {
				return err
			}
			return a.show(append([]store.Token{}, list...), func() {
				if len(list) == 0 {
					a.printf("there is no token\n")
					return
				}
				rows := [][]string{{"id", "role", "created", "name", "group"}}
				for _, t := range list {
					rows = append(rows, []string{t.ID, t.Role, onClock(t.Created), t.Name, t.Group})
				}
				a.table("", rows)
			})
		},
	}
}

func tokenRevokeCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:        "revoke ID",
		Short:      "Revoke a token; it stops working within a second",
		Long:       "Revoke a token, for good. It stops working within a second. Once the last token is revoked, nobody can use the server until there is another.",
		Example:    `  eke token revoke 2819eea8`,
		SuggestFor: []string{"delete", "remove", "rm"},
		Args:       from1To(1, "write: eke token revoke ID; eke token list has the IDs", "the token's ID is missing"),
		ValidArgsFunction: func(cmd *cobra.Command, _ []string, _ string) (ids []string, _ cobra.ShellCompDirective) {
			_, list, err := a.tokensThere(cmd.Context())
			for _, t := range list {
				ids = append(ids, t.ID+"\t"+t.Role+" "+t.Name)
			}
			if err != nil {
				return nil, cobra.ShellCompDirectiveError
			}
			return ids, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			kept, list, err := a.tokensThere(cmd.Context())
			if err != nil {
				return err
			}
			if strings.HasPrefix(args[0], "eke_") {
				return usage("give its ID: eke token list; others may have seen this token now, so do revoke it", "this is a token itself, not its ID")
			}
			err = kept.RevokeToken(cmd.Context(), args[0])
			if errors.Is(err, store.ErrNoToken) {
				return fault.New(fault.NotFound, "list the tokens: eke token list", "there is no token %s", args[0])
			}
			if err != nil {
				return err
			}
			a.printf("token %s is revoked\n", args[0])
			if len(list) == 1 {
				a.printf("note: that was the last token; nobody can use the server until you make another: eke token new\n")
			}
			return nil
		},
	}
}

// tokens opens the store as a keeper of tokens, and lists them.
func (a *app) tokens(ctx context.Context) (store.Tokens, []store.Token, error) {
	st, err := a.open(ctx)
	if err != nil {
		return nil, nil, err
	}
	kept, ok := st.(store.Tokens)
	if !ok {
		return nil, nil, wrong("use another store", "the store %s cannot keep tokens", placeOf(a.db))
	}
	list, err := kept.Tokens(ctx)
	return kept, list, err
}

// tokensThere is tokens of a store that exists. A command that only reads must not create one.
func (a *app) tokensThere(ctx context.Context) (store.Tokens, []store.Token, error) {
	if _, err := a.existing(ctx); err != nil {
		return nil, nil, err
	}
	return a.tokens(ctx)
}
