package postgres_test

import (
	"context"
	"fmt"

	"github.com/eke-bo/eke/store/postgres"
)

// Several machines can share a store in a database. Open creates its tables the first time.
func ExampleOpen() {
	ctx := context.Background()
	s, err := postgres.Open(ctx, "postgres://eke@db.example.org/lab")
	if err != nil {
		fmt.Println(err) // such as: the database cannot be reached
		return
	}
	defer s.Close()
	studies, err := s.List(ctx)
	fmt.Println(len(studies), err)
}

// Place leaves out the password.
func ExamplePlace() {
	fmt.Println(postgres.Place("postgres://eke:secret@db.example.org/lab"))
	// Output: postgres://eke@db.example.org:5432/lab
}
