// Package webhook tells other programs what happens in studies: it posts notices as JSON, signed with a secret that both sides know.
//
// Post sends one notice, once. A Sender has a queue of them, and tries again while the receiver cannot be reached. Whoever hands it a
// notice never waits.
package webhook
