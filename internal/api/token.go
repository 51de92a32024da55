package api

import "time"

// TokenRequest makes a token.
type TokenRequest struct {
	Role  string `json:"role" enum:"reader,worker,admin"`
	Name  string `json:"name,omitempty" maxLength:"200" doc:"Whose token it is, for your information."`
	Group string `json:"group,omitempty" maxLength:"100" doc:"Whose studies the token is for; empty: those of everybody."`
}

// Token is a token without its secret.
type Token struct {
	ID      string    `json:"id" doc:"It identifies the token, and is not secret."`
	Name    string    `json:"name"`
	Role    string    `json:"role" enum:"reader,worker,admin"`
	Group   string    `json:"group,omitempty"`
	Created time.Time `json:"created"`
}

// NewToken is a token that was just made.
type NewToken struct {
	Token
	Secret string `json:"token" doc:"The token itself. It is shown only now."`
}

// Tokens are all tokens.
type Tokens struct {
	Tokens []Token `json:"tokens"`
}

// Me is who sends a request.
type Me struct {
	Role  string `json:"role" enum:"reader,worker,admin"`
	ID    string `json:"id,omitempty" doc:"The ID of the token."`
	Name  string `json:"name,omitempty"`
	Group string `json:"group,omitempty"`
	Open  bool   `json:"open" doc:"There are no tokens: everybody on the server's machine may do everything."`
}

// Revoked says that a token is gone.
type Revoked struct {
	Revoked string `json:"revoked" doc:"The token's ID."`
}
