"""Optuna: with_optuna.py tpe|gp|cmaes|random [hyperband|median|wilcoxon]. A pruner sees every epoch, or the levels of another fidelity. With several
objectives or limits, tpe, gp or nsga2."""

import protocol  # first

import sys
import warnings

import optuna
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

optuna.logging.set_verbosity(optuna.logging.ERROR)
warnings.simplefilter("ignore")

# The design takes the place of a sampler's own random start.
SAMPLERS = {
    "tpe": lambda **more: optuna.samplers.TPESampler(multivariate=True, group=True, constant_liar=True, n_startup_trials=1, **more),
    "gp": lambda **more: optuna.samplers.GPSampler(n_startup_trials=1, **more),
    "cmaes": optuna.samplers.CmaEsSampler,
    "random": optuna.samplers.RandomSampler,
}
PRUNERS = {
    "hyperband": lambda task: optuna.pruners.HyperbandPruner(1, len(task.steps), 3),
    "median": lambda task: optuna.pruners.MedianPruner(),
    "wilcoxon": lambda task: optuna.pruners.WilcoxonPruner(),
}


class Optuna:
    knows_failures = True

    def __init__(self, task):
        self.task, self.trials, self.limits = task, {}, {}
        directions = ["minimize"] * len(task.worst or [0])
        self.study = optuna.create_study(study_name="study", directions=directions, sampler=self.sampler(task), pruner=self.pruner(task))

    def pruner(self, task):
        return optuna.pruners.NopPruner()

    def sampler(self, task):
        """The sampler. It knows the numbers with limits, which must not be above 0 in Optuna."""
        more = {"seed": task.seed}
        if task.limits:
            more["constraints_func"] = lambda trial: [-v for v in self.limits[trial.number]]
        if sys.argv[1] == "nsga2":  # its own population of 50 is more than the money buys, so that it would draw at random to the end
            return optuna.samplers.NSGAIISampler(population_size=max(len(task.design), 4), **more)
        return SAMPLERS[sys.argv[1]](**more)

    def ask(self, number):
        trial, setting = self.study.ask(), dict(self.task.fixed)
        for p in self.task.params:
            if protocol.exists(p, setting):
                setting[p.name] = p.out(trial._suggest(p.name, distribution(p)))
        self.trials[number] = trial
        return setting

    def start(self, number, setting):
        self.study.enqueue_trial({p.name: p.into(setting[p.name]) for p in self.task.params if p.name in setting})
        self.ask(number)

    def tell(self, number, setting, loss, cost, limits=None):
        if limits is not None:
            trial = self.trials.pop(number)
            self.limits[trial.number] = limits
            self.study.tell(trial, loss)
            return
        if number is None:
            found = [p for p in self.task.params if p.name in setting]
            self.study.add_trial(optuna.trial.create_trial(
                params={p.name: p.into(setting[p.name]) for p in found}, distributions={p.name: distribution(p) for p in found}, value=loss))
            return
        state = optuna.trial.TrialState.FAIL if loss is None else None
        self.study.tell(self.trials.pop(number), loss, state=state)


class Pruned(Optuna):
    def pruner(self, task):
        return PRUNERS[sys.argv[2]](task) if task.fidelity else super().pruner(task)

    def go_on(self, number, setting, level, loss):
        trial = self.trials[number]
        trial.report(loss, self.task.steps.index(level) + 1)
        if not trial.should_prune():
            return True
        self.study.tell(self.trials.pop(number), state=optuna.trial.TrialState.PRUNED)
        return False


def distribution(p):
    if p.kind == "choice":
        return CategoricalDistribution(p.values)
    return (IntDistribution if p.kind == "int" else FloatDistribution)(p.low, p.high, log=p.log)


protocol.play(Pruned if len(sys.argv) > 2 else Optuna)
