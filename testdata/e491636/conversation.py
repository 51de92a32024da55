"""What a program says with the Python client, and relies on. It was recorded with the client and the server of e491636; the tests say it
with the client of today.

    PYTHONPATH=clients/python conversation.py http://127.0.0.1:8420
"""

import sys
import time

import eke


def converse(url):
    client = eke.Client(url)
    assert client.healthy()
    study = client.create({
        "name": "glass", "objective": {"name": "haze", "goal": "minimize"}, "cost": {"source": "reported", "unit": "hours"},
        "budget": {"total": 20, "per_trial": 3}, "parameters": {"sand": eke.Float(0, 1), "soda": eke.Float(0, 1)},
        "policy": {"name": "random"}, "stop": "never",
    })
    assert (study.name, study.total, study.left) == ("glass", 20, 20)
    assert [s.name for s in client.studies()] == ["glass"]

    with study.ask(worker="lab") as trial:
        beat = time.monotonic() + 0.6  # the lease is a second: a heartbeat or two
        while time.monotonic() < beat:
            time.sleep(0.05)
        done = trial.tell(0.5, cost=1.5, note="clear")
    assert (done.number, done.state, done.value, done.charged) == (1, "done", 0.5, 1.5), done
    failed = study.ask(worker="lab").fail("it cracked", cost=1)
    assert (failed.number, failed.state, failed.charged) == (2, "failed", 1), failed
    try:
        with study.ask(worker="lab") as trial:
            raise ValueError("no sand")
    except ValueError:
        pass
    assert study.trial(3).state == "failed"
    given_up = study.ask(worker="lab").abandon("the power went")
    assert (given_up.number, given_up.state) == (4, "abandoned"), given_up
    hand = study.ask(by_hand=True)
    assert study.tell(hand.number, 0.25, 2, wall=0.5).value == 0.25
    assert study.fail(study.ask(by_hand=True).number, "spilt", cost=0.5, wall=0.5).state == "failed"
    try:
        study.tell(1, 9, 9)
        raise AssertionError("a result was changed")
    except eke.Conflict:
        pass

    study.enqueue({"sand": 0.125, "soda": 0.5})
    queued = study.ask(worker="lab")
    assert dict(queued.setting) == {"sand": 0.125, "soda": 0.5}, queued.setting
    queued.tell(0.125, cost=1)
    study.correct(5, value=0.375)
    study.label(tags=["clear"], notes="The first.")
    study.pause()
    try:
        study.ask(worker="lab")
        raise AssertionError("it is paused")
    except eke.Paused:
        pass
    study.resume()
    study.add_budget(5)
    study.refresh()
    assert (study.total, len(study.trials())) == (25, 7)
    assert study.best().value == 0.125
    assert len(study.records()) == 7
    study.rename("clear-glass")
    assert study.name == "clear-glass"
    study.end()
    try:
        study.ask(worker="lab")
        raise AssertionError("it has ended")
    except eke.Closed:
        pass

    def curve(setting):
        trial = eke.current_trial()
        for step in range(1, 4):
            if trial.report_step(step, setting["x"] / step, cost=step / 2):
                break
        return setting["x"] / 3, 1.5

    result = eke.minimize(curve, {"x": eke.Float(0, 1)}, {"total": 10, "per_trial": 2, "trials": 3}, name="curve", cost="hours", client=client,
                          fidelity={"name": "step", "steps": [1, 2, 3], "stop_early": "median"}, study={"policy": {"name": "random"}}, progress=False)
    assert (result.trials, result.reason, result.spent) == (3, "budget_spent", 4.5), result


if __name__ == "__main__":
    converse(sys.argv[1])
