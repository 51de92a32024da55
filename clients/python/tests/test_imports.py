"""The modules of the client import each other in one direction."""

import ast
import os
import unittest
from graphlib import CycleError, TopologicalSorter

PACKAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "eke")


def modules():
    """Returns the modules of the package, as paths to their sources by name. The package itself is eke."""
    found = {}
    for folder, _, files in os.walk(PACKAGE):
        for file in files:
            if file.endswith(".py"):
                parts = ["eke", *os.path.relpath(os.path.join(folder, file[:-3]), PACKAGE).split(os.sep)]
                found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = os.path.join(folder, file)
    return found


def imports(name, source, is_package, known):
    """Returns the modules of the package that one imports: anywhere, so also within functions and for types alone."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            here = name.split(".")
            base = here[:len(here) - node.level + is_package] if node.level else []
            base = ".".join(base + (node.module or "").split(".")).rstrip(".")
            found |= {f"{base}.{alias.name}" if f"{base}.{alias.name}" in known else base for alias in node.names}
    return found & set(known)


def graph():
    known = modules()
    found = {}
    for name, path in known.items():
        with open(path, encoding="utf-8") as f:
            found[name] = imports(name, f.read(), path.endswith("__init__.py"), known)
    return found


class TestImports(unittest.TestCase):
    def test_no_circle(self):
        try:
            TopologicalSorter(graph()).prepare()
        except CycleError as e:
            self.fail("modules import each other in a circle: " + " <- ".join(e.args[1]))

    def test_imports_are_seen(self):
        found = graph()
        self.assertIn("eke._client", found["eke._minimize"])
        self.assertIn("eke._wire", found["eke._client"])  # from . import _wire
        self.assertIn("eke.integrations.sklearn", found["eke"])  # within a function
        known = {"eke": "", "eke.a": "", "eke.b": "", "eke.c": "", "eke.c.d": ""}
        self.assertEqual(imports("eke.a", "if TYPE_CHECKING:\n    from .b import B", False, known), {"eke.b"})
        self.assertEqual(imports("eke.a", "def f():\n    from . import b\n    import os, eke.c.d", False, known), {"eke.b", "eke.c.d"})
        self.assertEqual(imports("eke.c.d", "from .. import b, __version__\nfrom ..a import x", False, known), {"eke.b", "eke", "eke.a"})
        self.assertEqual(imports("eke", "from .c import d", True, known), {"eke.c.d"})


if __name__ == "__main__":
    unittest.main()
