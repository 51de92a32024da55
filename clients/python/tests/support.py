"""What the tests have in common."""

import os
import shutil
import sys
import time
import unittest
import uuid

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import eke  # noqa: E402

BINARY = os.environ.get("EKE_TEST_BINARY") or shutil.which("eke") or ""
for name in ("EKE_TOKEN", "EKE_SERVER", "EKE_DB"):
    os.environ.pop(name, None)

_own = None


def server_url():
    """The server that all tests share; started here if the tests were not started by go test."""
    global _own
    url = os.environ.get("EKE_TEST_SERVER")
    if url:
        return url
    if _own is None:
        if not BINARY:
            raise unittest.SkipTest("there is no program eke: set EKE_TEST_BINARY, or run go test ./clients/python")
        _own = eke.Server(binary=BINARY).start()
    return _own.url


def client(**more):
    return eke.Client(server_url(), **more)


def fresh():
    return "t-" + uuid.uuid4().hex[:12]


def definition(**more):
    """A study whose costs are reported."""
    made = {
        "name": fresh(), "objective": {"goal": "minimize"}, "cost": {"source": "reported", "unit": "coins"}, "budget": {"total": 100},
        "parameters": {"x": eke.Float(-1, 2), "n": eke.Int(1, 4)}, "policy": {"name": "random"},
    }
    made.update(more)
    return made


class Clock:
    """Stands for the module time where a test must not depend on how fast the machine is. It goes on when somebody sleeps."""

    def __init__(self):
        self._now = 1000.0

    def monotonic(self):
        return self._now

    def sleep(self, seconds):
        self._now += seconds


def wait_for(test, what, seconds=300):
    """Waits for something that is sure to happen. The time only ends a test that hangs."""
    until = time.monotonic() + seconds
    while not test():
        if time.monotonic() > until:
            raise AssertionError("in vain: " + what)
        time.sleep(0.02)
