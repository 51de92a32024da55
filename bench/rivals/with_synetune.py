"""Syne Tune: with_synetune.py mobster|hypertune|bo. MOBSTER and Hyper-Tune stop trainings on their way, at the rungs of ASHA; bo is Bayesian optimisation of full
trainings. It knows no costs."""

import protocol  # first

import datetime
import logging
import sys
import warnings

from syne_tune import config_space as cs
from syne_tune.backend.trial_status import Trial
from syne_tune.optimizer.baselines import MOBSTER, BayesianOptimization, HyperTune
from syne_tune.optimizer.scheduler import SchedulerDecision

warnings.simplefilter("ignore")
logging.disable(logging.ERROR)


def described(p):
    if p.kind == "choice":
        return cs.choice(p.values)
    kinds = {("float", False): cs.uniform, ("float", True): cs.loguniform, ("int", False): cs.randint, ("int", True): cs.lograndint}
    return kinds[p.kind, p.log](p.low, p.high)


class SyneTune:
    design = False

    def __init__(self, task):
        self.task, self.trials = task, {}
        space = {p.name: described(p) for p in task.params}
        more = dict(metric="loss", mode="min", random_seed=task.seed % 2**31, points_to_evaluate=[task.flat(s) for s in task.first()],
                    search_options={"debug_log": False, "num_init_random": 0})
        if sys.argv[1] == "bo" or not task.fidelity:
            self.scheduler = BayesianOptimization(space, **more)
            return
        rungs = dict(grace_period=1, reduction_factor=3) if len(task.steps) > len(task.levels) else dict(rung_levels=list(range(1, len(task.steps))))
        self.scheduler = {"mobster": MOBSTER, "hypertune": HyperTune}[sys.argv[1]](space, resource_attr="step", max_t=len(task.steps), **rungs, **more)

    def ask(self, number):
        suggestion = self.scheduler.suggest(number)
        if suggestion is None:
            return None
        self.trials[number] = Trial(number, suggestion.config, datetime.datetime(2000, 1, 1))
        self.scheduler.on_trial_add(self.trials[number])
        return self.task.setting(suggestion.config)

    def tell(self, number, setting, loss, cost):
        trial = self.trials.pop(number, None)
        if trial:
            result = {"loss": loss, "step": len(self.task.steps) if self.task.fidelity else 1}
            self.scheduler.on_trial_result(trial, result)
            self.scheduler.on_trial_complete(trial, result)


class Stopping(SyneTune):
    def go_on(self, number, setting, level, loss):
        result = {"loss": loss, "step": self.task.steps.index(level) + 1}
        if self.scheduler.on_trial_result(self.trials[number], result) == SchedulerDecision.CONTINUE:
            return True
        self.scheduler.on_trial_remove(self.trials.pop(number))
        return False


protocol.play(SyneTune if sys.argv[1] == "bo" else Stopping)
