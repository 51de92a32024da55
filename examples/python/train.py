#!/usr/bin/env python3
"""Gradient-boosted trees of depth one (stumps), in plain Python: a small training run to be tuned.

The task is Friedman's first regression problem (Multivariate Adaptive Regression Splines, 1991), generated anew, the
same every time: y = 10 sin(pi x0 x1) + 20 (x2 - 1/2)^2 + 10 x3 + 5 x4 + noise, and five inputs that mean nothing.

How much a run costs depends on its flags. It is counted in thousands of split scans rather than in seconds, so
that a busy machine does not change what a setting costs.
"""

import argparse
import json
import math
import os
import random
import sys

INPUTS, TRAINING, VALIDATION = 10, 400, 400


def generate(rng, count):
    """Returns inputs and targets."""
    rows, targets = [], []
    for _ in range(count):
        x = [rng.random() for _ in range(INPUTS)]
        y = 10 * math.sin(math.pi * x[0] * x[1]) + 20 * (x[2] - 0.5) ** 2 + 10 * x[3] + 5 * x[4]
        rows.append(x)
        targets.append(y + rng.gauss(0, 1))
    return rows, targets


def candidates(rows, bins):
    """Returns, for each input, thresholds that split the rows into bins of equal size."""
    count = min(bins, len(rows))
    columns = [sorted(row[i] for row in rows) for i in range(INPUTS)]
    return [[column[len(rows) * k // count] for k in range(1, count)] for column in columns]


def best_stump(rows, residuals, sample, thresholds):
    """Returns the split (input, threshold, left mean, right mean) that explains most of the sample's residuals."""
    best, gain = None, -math.inf
    total, count = sum(residuals[i] for i in sample), len(sample)
    for column, splits in enumerate(thresholds):
        # One pass puts the rows into bins; after that every threshold is a running sum away.
        ordered = sorted(sample, key=lambda i: rows[i][column])
        left, passed = 0.0, 0
        for threshold in splits:
            while passed < count and rows[ordered[passed]][column] < threshold:
                left += residuals[ordered[passed]]
                passed += 1
            if 0 < passed < count:
                right = total - left
                found = left * left / passed + right * right / (count - passed)
                if found > gain:
                    gain, best = found, (column, threshold, left / passed, right / (count - passed))
    return best


def main():
    parser = argparse.ArgumentParser(description="train boosted stumps; writes the result to $EKE_RESULT, or prints it")
    parser.add_argument("--rounds", type=int, default=50, help="number of stumps")
    parser.add_argument("--rate", type=float, default=0.1, help="share of each stump that is added")
    parser.add_argument("--bins", type=int, default=16, help="thresholds that are tried for each input, plus one")
    parser.add_argument("--subsample", type=float, default=1.0, help="share of the rows that each stump sees")
    flags = parser.parse_args()
    if flags.rounds < 1 or flags.bins < 2 or not 0 < flags.rate <= 2 or not 0 < flags.subsample <= 1:
        parser.error("want --rounds >= 1, --bins >= 2, 0 < --rate <= 2 and 0 < --subsample <= 1")

    rng = random.Random(1)
    rows, targets = generate(rng, TRAINING)
    unseen, truths = generate(rng, VALIDATION)
    thresholds = candidates(rows, flags.bins)
    size = max(2, round(flags.subsample * TRAINING))

    start = sum(targets) / TRAINING
    residuals = [y - start for y in targets]
    predictions = [start] * VALIDATION
    scans = 0
    for number in range(1, flags.rounds + 1):
        sample = rng.sample(range(TRAINING), size) if size < TRAINING else range(TRAINING)
        stump = best_stump(rows, residuals, sample, thresholds)
        scans += INPUTS * (size + flags.bins)
        if stump is None:  # no threshold has rows on both sides
            continue
        column, threshold, left, right = stump
        for i, row in enumerate(rows):
            residuals[i] -= flags.rate * (left if row[column] < threshold else right)
        for i, row in enumerate(unseen):
            predictions[i] += flags.rate * (left if row[column] < threshold else right)
        if number % max(1, flags.rounds // 5) == 0:
            print(f"stump {number} of {flags.rounds}", file=sys.stderr)

    error = math.sqrt(sum((p - y) ** 2 for p, y in zip(predictions, truths)) / VALIDATION)
    result = json.dumps({"objective": error, "cost": scans / 1000})
    if path := os.environ.get("EKE_RESULT"):
        # Written to another file and renamed, so that a reader finds all of it or nothing.
        with open(path + ".part", "w", encoding="utf-8") as file:
            file.write(result + "\n")
        os.replace(path + ".part", path)
    else:
        print(result)


if __name__ == "__main__":
    main()
