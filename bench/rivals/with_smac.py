"""SMAC3: with_smac.py hpo|bb|mf. Its facades for hyperparameters (random forest), for black boxes (Gaussian process), and for fidelities (Hyperband with a
random forest). It knows no costs."""

import protocol  # first

import logging
import sys
import tempfile
import warnings

import ConfigSpace as cs
from smac import BlackBoxFacade, HyperparameterOptimizationFacade, MultiFidelityFacade, Scenario
from smac.runhistory import TrialInfo, TrialValue
from smac.runhistory.enumerations import StatusType

warnings.simplefilter("ignore")
logging.disable(logging.ERROR)

FACADES = {"hpo": HyperparameterOptimizationFacade, "bb": BlackBoxFacade, "mf": MultiFidelityFacade}


def described(p):
    if p.kind == "choice":
        return cs.CategoricalHyperparameter(p.name, p.values)
    return (cs.UniformIntegerHyperparameter if p.kind == "int" else cs.UniformFloatHyperparameter)(p.name, p.low, p.high, log=p.log)


def space(task):
    s = cs.ConfigurationSpace(seed=task.seed % 2**31)
    s.add([described(p) for p in task.params])
    for p in task.params:
        tests = [cs.InCondition(s[p.name], s[c["param"]], c["values"]) for c in p.when if c["param"] not in task.fixed]
        if tests:
            s.add(cs.AndConjunction(*tests) if len(tests) > 1 else tests[0])
    return s


class Smac:
    knows_failures = True

    def __init__(self, task):
        self.task, self.asked, self.space = task, {}, space(task)
        self.looks = bool(task.fidelity) and sys.argv[1] == "mf"
        self.design = not self.looks  # the first settings of Hyperband are looked at first, too
        facade = FACADES[sys.argv[1] if self.looks or sys.argv[1] != "mf" else "hpo"]
        more = dict(min_budget=task.levels[0], max_budget=task.top) if self.looks else {}
        # The number of trials says nothing here: the suite ends the study.
        scenario = Scenario(self.space, deterministic=True, n_trials=100000, seed=task.seed % 2**31, output_directory=tempfile.mkdtemp(), **more)
        self.smac = facade(scenario, lambda config, seed=0, budget=None: 0.0, overwrite=True, logging_level=40,
                           initial_design=facade.get_initial_design(scenario, n_configs=0, additional_configs=self.first()))

    def first(self):
        return [self.config(s) for s in self.task.first()] if self.looks else []

    def config(self, setting):
        return cs.Configuration(self.space, {p.name: p.into(setting[p.name]) for p in self.task.params if p.name in setting})

    def ask(self, number):
        info = self.smac.ask()
        setting, values = dict(self.task.fixed), dict(info.config)
        for p in self.task.params:
            if protocol.exists(p, setting):
                value = values[p.name]
                setting[p.name] = p.out(value.item() if hasattr(value, "item") else value)
        if self.looks:
            setting[self.task.fidelity["name"]] = round(info.budget) if self.task.steps != self.task.levels else min(info.budget, self.task.top)
        self.asked[number] = info
        return setting

    def tell(self, number, setting, loss, cost):
        info = self.asked.pop(number, None)
        if info is None:
            info = TrialInfo(self.config(setting), seed=0, budget=self.task.top if self.looks else None)
        failed = loss is None
        self.smac.tell(info, TrialValue(cost=1e9 if failed else loss, time=cost, status=StatusType.CRASHED if failed else StatusType.SUCCESS), save=False)


protocol.play(Smac)
