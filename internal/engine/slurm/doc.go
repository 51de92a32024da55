// Package slurm is the engine that evaluates trials as jobs of a Slurm cluster.
//
//	engine.go     Engine: the verbs, over what follows; what the cluster is like, and what can never run there
//	submit.go     submit once: the intent that is on record before, the job's script, and what to make of the answer
//	poll.go       one squeue for all jobs, one sacct for jobs that squeue knows no more; Slurm's states, and what follows
//	account.go    what a job has cost: sacct, over all of its records
//	work.go       what a job runs: this program again, around the trial's command
//	command.go    running Slurm's commands
//	system_*.go   the signal ahead of a limit, and file systems in memory, for each kind of system
//
// A job's folder has, beside the files of the local engine:
//
//	slurm.json    the intent: the job's name, and all that the job needs to know; it is there before sbatch is called
//	job.sh        the script
//	slurm.out     what the script prints
//	owner         the number of the job that runs the trial: a duplicate that finds another's ends at once
//	run-ID-N      one for each time that the job was started: when, and with what; the file's time is when it was last alive
//	end.json      how the trial ended, written under another name and renamed: once it is there, nothing changes it
//
// # Once
//
// A job's name is unique: it says the study, the trial and the attempt. The intent is on disk before sbatch is called. If the
// answer is lost, or the controller dies, it is unknown whether there is a job. The trial is submitted again only after both
// squeue and sacct have said that they know no job of that name, and only after a pause. If there are two jobs of one name all
// the same, one is kept, the others are cancelled, and all are charged.
//
// # Ends
//
// The end file is the authority on a trial's result, Slurm's accounting the authority on its cost. A job without an end file ended as
// its state in Slurm says; see endOf. A job that nobody knows has not succeeded.
package slurm
