"""Words for people: one dollar, two dollars."""

import unittest

from eke._html import study_html
from eke._words import count, unit_of


class Words(unittest.TestCase):
    def test_units_and_counts(self) -> None:
        dollars = {"source": "reported", "unit": "dollars"}
        for cost, x, want in [
            (dollars, 1, "dollar"), (dollars, 1.00001, "dollar"), (dollars, 2, "dollars"), (dollars, 0.5, "dollars"),
            ({"source": "reported", "unit": "core-hours"}, 1, "core-hour"), ({"source": "reported", "unit": "GPUs"}, 1, "GPUs"),
            ({"source": "reported", "unit": "batches"}, 1, "batch"), ({"source": "walltime", "unit": "seconds"}, 1, "s"), ({}, 1, ""),
        ]:
            self.assertEqual(unit_of(cost, x), want)
        self.assertEqual([count(n, "trial") for n in (0, 1, 2)], ["0 trials", "1 trial", "2 trials"])

    def test_a_study(self) -> None:
        raw = {"name": "kiln", "cost": {"source": "reported", "unit": "dollars"}, "objective": {"goal": "minimize"}, "ledger": {"total": 1, "spent": 0.5}}
        self.assertIn("0.5 of 1 dollar spent, 0 trials", study_html(raw, []))


if __name__ == "__main__":
    unittest.main()
