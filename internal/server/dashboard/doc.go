// Package dashboard is the service's page, embedded: studies, their money, their trials and what was learnt from
// them. It is written in TypeScript, in web; what the browser gets is built into dist, which is committed, so that
// building eke needs no Node.
//
// The page knows nothing but the HTTP API, and loads nothing from elsewhere.
package dashboard
