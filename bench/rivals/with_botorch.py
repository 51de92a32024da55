"""BoTorch: with_botorch.py logei [cost]. LogEI of a Gaussian process with the priors of BoTorch since 0.12; with cost, minus the log cost that a second one
expects, so that it is improvement per cost. What is under way counts as what the process expects of it. Choices and ints are relaxed, and rounded."""

import protocol  # first

import math
import sys
import warnings

import torch
from botorch.acquisition import LogExpectedImprovement
from botorch.fit import fit_gpytorch_mll
from botorch.models import SingleTaskGP
from botorch.models.transforms import Standardize
from botorch.optim import optimize_acqf
from gpytorch.constraints import GreaterThan
from gpytorch.kernels import RBFKernel
from gpytorch.likelihoods import GaussianLikelihood
from gpytorch.mlls import ExactMarginalLogLikelihood
from gpytorch.priors import LogNormalPrior

torch.set_num_threads(1)
torch.set_default_dtype(torch.double)
warnings.simplefilter("ignore")


def fitted(x, y):
    """A Gaussian kernel without a scale (C. Hvarfner, E. Hellsten, L. Nardi, Vanilla Bayesian Optimization Performs Great in High Dimensions, 2024)."""
    lengths, noise = LogNormalPrior(math.sqrt(2) + math.log(x.shape[-1]) / 2, math.sqrt(3)), LogNormalPrior(-4.0, 1.0)
    model = SingleTaskGP(
        x, y.unsqueeze(-1), outcome_transform=Standardize(1),
        covar_module=RBFKernel(ard_num_dims=x.shape[-1], lengthscale_prior=lengths,
                               lengthscale_constraint=GreaterThan(2.5e-2, transform=None, initial_value=lengths.mode)),
        likelihood=GaussianLikelihood(noise, noise_constraint=GreaterThan(1e-4, transform=None, initial_value=noise.mode)))
    fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
    return model


class PerCost(LogExpectedImprovement):
    def __init__(self, model, costs, **more):
        super().__init__(model, **more)
        self.costs = costs

    def forward(self, x):
        return super().forward(x) - self.costs.posterior(x).mean.squeeze(-1).squeeze(-1)


class BoTorch:
    def __init__(self, task):
        torch.manual_seed(task.seed)
        self.cube, self.under_way, self.x, self.losses, self.costs = protocol.Cube(task), {}, [], [], []

    def start(self, number, setting):
        self.under_way[number] = self.cube.point(setting)

    def ask(self, number):
        if len(self.x) < 2:
            setting = self.cube.setting(torch.rand(self.cube.dim).tolist())
        else:
            x = torch.tensor(self.x)
            model = fitted(x, -torch.tensor(self.losses))
            if self.under_way:
                expected = torch.tensor(list(self.under_way.values()))
                model = model.condition_on_observations(expected, model.posterior(expected).mean.detach())
            best = max(-loss for loss in self.losses)
            if "cost" in sys.argv[2:]:
                rule = PerCost(model, fitted(x, torch.tensor(self.costs).clamp_min(1e-9).log()), best_f=best)
            else:
                rule = LogExpectedImprovement(model, best_f=best)
            cube = torch.tensor([[0.0], [1.0]]).expand(2, self.cube.dim)
            point, _ = optimize_acqf(rule, cube, q=1, num_restarts=10, raw_samples=512)
            setting = self.cube.setting(point[0].tolist())
        self.start(number, setting)
        return setting

    def tell(self, number, setting, loss, cost):
        self.under_way.pop(number, None)
        self.x.append(self.cube.point(setting))
        self.losses.append(loss)
        self.costs.append(cost)


protocol.play(BoTorch)
