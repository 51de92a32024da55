"""Spends 30 GPU-hours, and not more."""

import math

import optuna
import optunahub


def objective(trial: optuna.Trial) -> float:
    lr = trial.suggest_float("lr", 1e-5, 1e-1, log=True)
    layers = trial.suggest_int("layers", 1, 8)
    loss = (math.log10(lr) + 3) ** 2 + 1 / layers
    trial.set_user_attr("gpu_hours", 0.5 * layers)
    return loss


sampler = optunahub.load_module("samplers/eke").EkeSampler(budget=30, cost_attr="gpu_hours")
study = optuna.create_study(sampler=sampler)
study.optimize(objective)
print(study.best_params, sampler.spent, sampler.detail)
