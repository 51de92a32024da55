package postgres_test

import (
	"context"
	"fmt"

	"github.com/eke-bo/eke/store/postgres"
)

// Several machines share a store in a database. Its tables are made when it is first opened.
func ExampleOpen() {
	ctx := context.Background()
	s, err := postgres.Open(ctx, "postgres://eke@db.example.org/lab")
	if err != nil {
		fmt.Println(err) // it says what to do: create the database, give the user its rights, …
		return
	}
	defer s.Close()
	studies, err := s.List(ctx)
	fmt.Println(len(studies), err)
}

// A place names a database without its password.
func ExamplePlace() {
	fmt.Println(postgres.Place("postgres://eke:secret@db.example.org/lab"))
	// Output: postgres://eke@db.example.org:5432/lab
}
