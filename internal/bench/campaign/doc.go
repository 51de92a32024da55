// Package campaign runs many jobs and keeps the results in a folder: a line of JSON for each job, added as soon as the job is done.
// Started again, a campaign goes on where it was; interrupted, it loses only what was under way; several processes
// may work in one folder and share the jobs.
package campaign
