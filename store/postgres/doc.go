// Package postgres keeps studies in a PostgreSQL database, which any number of servers and runners may share.
//
// A change that succeeded is on the server's disk: every commit waits for that, whatever the role's settings are
// (synchronous_commit). Each change is one statement, so that no lock is held while a client thinks, sleeps or has lost its
// network. If a connection is lost and nobody knows whether a change was saved, the store tries again on another connection. Each
// change has a number, by which the store sees whether it is there already.
//
// Everything is in one schema: "eke", unless the URL names another (?schema=lab). Open inspects the schema before it creates
// anything in it. It refuses tables that are not eke's, are not as eke made them or were written by a newer eke, and does not
// change them.
//
// A pooler between eke and the server must keep sessions together (pgbouncer: pool_mode = session).
package postgres
