"""Suggests settings by Optuna's TPE, over JSON lines on standard input and output."""

import json
import sys

import optuna
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

optuna.logging.set_verbosity(optuna.logging.ERROR)


def distribution(p):
    if p["type"] == "float":
        return FloatDistribution(p.get("min", 0), p.get("max", 0), log=p.get("log", False))
    if p["type"] == "int":
        log = p.get("log", False)
        step = 1 if log else int(p.get("step", 1))
        return IntDistribution(int(p.get("min", 0)), int(p.get("max", 0)), log=log, step=step)
    return CategoricalDistribution([False, True] if p["type"] == "bool" else p["values"])


def exists(p, setting):
    return all(c["param"] in setting and setting[c["param"]] in c["values"] for c in p.get("when", []))


def main():
    task = json.loads(sys.stdin.readline())
    params = [p for p in task["params"] if p["type"] != "fixed"]
    fixed = {p["name"]: p["value"] for p in task["params"] if p["type"] == "fixed"}
    study = optuna.create_study(direction=task["goal"], sampler=optuna.samplers.TPESampler(seed=task["seed"]))
    trials = {}
    for line in sys.stdin:
        message = json.loads(line)
        if "observe" in message:
            found = {p["name"]: p for p in params if p["name"] in message["observe"]}
            study.add_trial(optuna.trial.create_trial(
                params={name: message["observe"][name] for name in found},
                distributions={name: distribution(p) for name, p in found.items()},
                value=message["value"]))
        elif "tell" in message:
            failed = message["value"] is None
            study.tell(trials.pop(message["tell"]), message["value"], state=optuna.trial.TrialState.FAIL if failed else None)
        else:
            trial = study.ask()
            setting = dict(fixed)
            for p in params:
                if exists(p, setting):
                    setting[p["name"]] = trial._suggest(p["name"], distribution(p))
            trials[trial.number] = trial
            print(json.dumps({"number": trial.number, "setting": setting}), flush=True)


main()
