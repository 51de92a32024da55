"""FLAML: with_flaml.py blendsearch|cfo [looks]. It is told costs; with looks, it chooses the fidelity of a trial, too."""

import protocol  # first

import logging
import sys
import warnings

import optuna
from flaml import CFO, BlendSearch, tune

warnings.simplefilter("ignore")
optuna.logging.set_verbosity(optuna.logging.ERROR)
logging.getLogger("flaml").setLevel(logging.ERROR)


def described(p):
    if p.kind == "choice":
        return tune.choice(p.values)
    kinds = {("float", False): tune.uniform, ("float", True): tune.loguniform, ("int", False): tune.randint, ("int", True): tune.lograndint}
    return kinds[p.kind, p.log](p.low, p.high + (p.kind == "int"))  # an int ends before its upper bound


class Flaml:
    """It begins with the results of the design. Its search is made when they are there."""

    def __init__(self, task):
        self.task, self.known, self.search = task, [], None
        self.looks = bool(task.fidelity) and "looks" in sys.argv

    def begin(self):
        of, more = {"blendsearch": BlendSearch, "cfo": CFO}[sys.argv[1]], {}
        if self.looks:
            more = dict(resource_attr=self.task.fidelity["name"], min_resource=self.task.levels[0], max_resource=self.task.top)
        self.search = of(metric="loss", mode="min", space={p.name: described(p) for p in self.task.params}, seed=self.task.seed % 2**31,
                         points_to_evaluate=[x for x, _ in self.known], evaluated_rewards=[loss for _, loss in self.known],
                         cost_attr="cost", cost_budget=self.task.budget, **more)

    def ask(self, number):
        if not self.search:
            self.begin()
        for _ in range(1000):  # it may refuse to go somewhere, and has to be asked again
            values = self.search.suggest(str(number))
            if values:
                break
        else:
            return None
        setting = self.task.setting(values)
        if self.looks:
            level = min(max(values.get(self.task.fidelity["name"], self.task.top), self.task.levels[0]), self.task.top)
            setting[self.task.fidelity["name"]] = round(level) if self.task.steps != self.task.levels else level
        return setting

    def tell(self, number, setting, loss, cost):
        values = self.task.flat(setting)
        if not self.search:
            self.known.append((values, loss))
            return
        if self.looks:
            values[self.task.fidelity["name"]] = setting[self.task.fidelity["name"]]
        result = {"loss": loss, "cost": cost, "config": values, "training_iteration": 1}
        self.search.on_trial_result(str(number), result)
        self.search.on_trial_complete(str(number), result)


protocol.play(Flaml)
