// Package webhook tells other programs what happens in studies: it posts notices as JSON, signed with a secret that both sides know.
//
// Post sends one notice, once. A Sender queues notices and retries while the receiver cannot be reached. Adding a notice never
// blocks.
package webhook
