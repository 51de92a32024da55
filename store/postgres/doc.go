// Package postgres keeps studies in a PostgreSQL database, which any number of servers and runners may share.
//
// What is acknowledged is on the database's disk: every commit waits for it, whatever the role's habit is
// (synchronous_commit). Each change is one statement, so that no lock is ever held while a client thinks, sleeps or has
// lost its network. When the connection is lost and nobody knows whether a change was kept, it is tried again on another
// one: each change carries a number of its own, by which the store sees whether it is there already.
//
// Everything is in one schema, "eke" unless the URL says otherwise (?schema=lab). A schema is looked at before anything
// is made in it. What is not ours, is not as we made it, or was written by a newer eke is refused and not changed.
//
// A pooler between eke and the server must keep sessions together (pgbouncer: pool_mode = session).
package postgres
