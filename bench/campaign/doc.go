// Package campaign runs many jobs and keeps the results in a folder: a line of JSON for each job, added as soon as the job is done.
// A campaign that is started again continues where it was. An interrupted one loses only the running jobs. Several processes may
// work in one folder and share the jobs.
package campaign
