// Package kubernetes is the engine that evaluates trials as Jobs of Kubernetes.
//
//	engine.go      Engine: the verbs; what is asked of the API server before anything runs
//	manifest.go    a trial's Job: the template, with the image, the command, the setting and the limits put in
//	poll.go        how jobs stand; what their pods have used
//	reason.go      why a job waits
//	finish.go      how a trial ended; its log
//	price.go       what the attempts of a trial have cost
//	mirror.go      a list and a watch of Jobs and pods, for all trials of a study
//	intent.go      what is on disk of a job
//	objects.go     the API's objects, and what a pod asks for as the scheduler counts it
//	client.go      HTTP, and what to make of refusals
//	kubeconfig.go  how a cluster is reached, and as whom
//
// # Once
//
// A Job's name follows from the trial's identity, so the API server refuses a second one with 409. The intent is on disk before the Job is
// created. If the answer is lost, the Job is created again: either there is one, or there is none.
//
// # Attempts
//
// A pod that fails ends its Job (backoffLimit 0), unless it was disrupted: evicted, preempted, or on a node that was drained or lost. Then
// Kubernetes makes another pod once the first has ended (podFailurePolicy, podReplacementPolicy). Every pod is an attempt, and every
// attempt is charged: what it asks for, times the time from its start to its end. It is on disk as soon as it is seen.
//
// There is no finalizer that keeps a pod until it was seen, since a namespace must stay deletable. The end of a pod that was gone before it
// was seen is estimated, and the trial's note says so.
//
// # Limits
//
// The kubelet counts a pod's deadline (activeDeadlineSeconds) from its arrival on the node, before its image is pulled. So a pod begins
// with a generous deadline, which is brought forward once the command runs. To cancel a trial, the deadline is brought to a second: the
// pod is stopped with its grace, and stays, so that what it has used is known.
package kubernetes
