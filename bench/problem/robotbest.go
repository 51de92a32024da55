package problem

const robotBestSource = ""

var robotBest [robotTargets]candidate
