"""Suggests settings by a sampler for Optuna, over JSON lines on standard input and output.

    python3 sampler.py [TPESampler | GPSampler | … | EkeSampler]

EkeSampler needs the program eke on the PATH. The others know nothing of costs.
"""

import json
import sys

import optuna
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

optuna.logging.set_verbosity(optuna.logging.ERROR)
COST = "cost"  # the attribute of a trial


def sampler(name, task):
    """Returns a sampler, and the error by which it says that the study is over."""
    if name != "EkeSampler":
        return getattr(optuna.samplers, name)(seed=task["seed"]), ()
    import eke
    from eke.integrations.optuna import EkeSampler
    server = eke.Server().start()  # it ends with this program
    more = {"seed": task["seed"], "noise": task["noise"], "stop": "never"}
    return EkeSampler(task["budget"], COST, client=server.client(), study=more), eke.Over


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
    chosen, over = sampler((sys.argv[1:] or ["TPESampler"])[0], task)
    study = optuna.create_study(direction=task["goal"], sampler=chosen)
    trials = {}
    for line in sys.stdin:
        message = json.loads(line)
        if "observe" in message:
            found = {p["name"]: p for p in params if p["name"] in message["observe"]}
            study.add_trial(optuna.trial.create_trial(
                params={name: message["observe"][name] for name in found},
                distributions={name: distribution(p) for name, p in found.items()},
                user_attrs={COST: message["cost"]}, value=message["value"]))
        elif "tell" in message:
            trial = trials.pop(message["tell"])
            trial.set_user_attr(COST, message["cost"])
            failed = message["value"] is None
            study.tell(trial, message["value"], state=optuna.trial.TrialState.FAIL if failed else None)
        else:
            try:
                trial = study.ask()
            except over:
                print(json.dumps({"done": True}), flush=True)
                continue
            setting = dict(fixed)
            for p in params:
                if exists(p, setting):
                    setting[p["name"]] = trial._suggest(p["name"], distribution(p))
            trials[trial.number] = trial
            print(json.dumps({"number": trial.number, "setting": setting}), flush=True)


main()
