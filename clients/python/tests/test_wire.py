import unittest

from .support import eke

from eke import _errors, _wire


class Wire(unittest.TestCase):
    def test_every_code_has_an_exception(self):
        self.assertEqual(set(_errors._KINDS), set(_wire.CODES))
        self.assertEqual({code for code, kind in _errors._KINDS.items() if issubclass(kind, eke.Over)}, set(_wire.OVER))
        for code, kind in _errors._KINDS.items():
            self.assertIs(getattr(eke, kind.__name__), kind)
            self.assertEqual(kind.code, code)

    def test_hints(self):
        """Servers before this one called them mend, and put that of the whole into the detail."""
        for word in ("hint", "mend"):
            e = _errors.from_problem(422, {"code": "bad_request", "detail": "no", "errors": [{"location": "body.x", "message": "bad", word: "fix it"}]}, None)
            self.assertEqual((e.faults[0].hint, str(e)), ("fix it", "no:\n  x: bad (fix it)"))
        e = _errors.from_problem(409, {"code": "budget_spent", "detail": "spent", "hint": "add money"}, None)
        self.assertEqual((type(e), e.detail, e.hint, str(e)), (eke.BudgetSpent, "spent", "add money", "spent (add money)"))


if __name__ == "__main__":
    unittest.main()
