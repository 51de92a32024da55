"""The package of OptunaHub: ``optunahub.load_module("samplers/eke").EkeSampler``."""

from eke.integrations.optuna import EkeSampler

__all__ = ["EkeSampler"]
