"""The wheel, in a clean virtual environment without network: the tutorial runs as it is printed."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

import eke

from .support import BINARY

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.abspath(os.path.join(HERE, "..", "..", ".."))


def blocks(path, heading=None):
    """The Python blocks of a page, or of one of its parts."""
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        text = file.read()
    if heading:
        text = re.split(r"^## ", text.split("## " + heading)[1], flags=re.M)[0]
    return "\n".join(re.findall(r"```python\n(.*?)```", text, re.S))


def lost(path, printed):
    """The lines that a page shows in its blocks of text and that are not among what was printed. Clocks may differ."""
    def plain(line):
        return re.sub(r"\b\d+:\d\d$", "#", line.strip())

    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        shown = [line for block in re.findall(r"```text\n(.*?)```", file.read(), re.S) for line in block.splitlines()]
    if not shown:
        raise AssertionError(f"{path} shows nothing")
    there = {plain(line) for line in printed.splitlines()}
    return [line for line in shown if plain(line) not in there]


class Wheel(unittest.TestCase):
    def test_clean_environment(self):
        if not BINARY or sys.platform == "win32":
            self.skipTest("there is no program eke, or no way to put it into a wheel here")
        with tempfile.TemporaryDirectory() as folder:
            env = {"PATH": "/usr/bin:/bin", "HOME": folder, "LANG": "C.UTF-8"}

            def run(*command, **more):
                done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=900, env={**env, **more})
                self.assertEqual(done.returncode, 0, f"{command[:3]}: {done.stdout}{done.stderr}")
                return done.stdout

            def build(out, binary):
                script = os.path.join(ROOT, "scripts", "wheels")
                subprocess.run([sys.executable, script, "host", "--binary", binary, "--out", out], check=True, stdout=subprocess.DEVNULL)
                (wheel,) = os.listdir(out)
                return os.path.join(out, wheel)

            twice = [build(os.path.join(folder, name), os.path.join(ROOT, "LICENSE")) for name in ("one", "two")]
            first, second = (open(wheel, "rb") for wheel in twice)
            with first, second:
                self.assertEqual(first.read(), second.read(), "two wheels of the same sources differ")
            path = build(os.path.join(folder, "wheel"), BINARY)
            with zipfile.ZipFile(path) as file:
                self.assertIsNone(file.testzip())
                self.assertEqual([n for n in file.namelist() if "__pycache__" in n], [])

            venv = os.path.join(folder, "venv")
            made = subprocess.run([sys.executable, "-m", "venv", venv], capture_output=True, text=True)
            if made.returncode:
                self.skipTest(f"the wheel is not installed: python3 cannot make a virtual environment (Debian: apt-get install python3-venv): {made.stdout}")
            python = os.path.join(venv, "bin", "python")
            run(python, "-m", "pip", "install", "-q", "--no-index", "--disable-pip-version-check", path)
            self.assertIn("eke ", run(os.path.join(venv, "bin", "eke"), "version"))
            self.assertIn("eke ", run(python, "-m", "eke", "version"))
            self.assertEqual(run(python, "-c", "import eke\nwith eke.Server() as s: print(s.client().healthy(), s.binary)").split(),
                             ["True", os.path.join(venv, "bin", "eke")])

            page = os.path.join(folder, "tutorial.py")
            with open(page, "w", encoding="utf-8") as file:
                file.write(blocks("docs/PYTHON.md"))
            said = run(python, "-W", "error", page)
            first = "import sys\nsys.stderr = sys.stdout\n" + blocks("docs/PYTHON.md", "Spend a budget")
            said += run(python, "-c", first.replace('name="net"', 'name="shown", progress=True'))
            self.assertEqual(lost("docs/PYTHON.md", said), [], said)
            costs = os.path.join(folder, "costs.py")
            with open(costs, "w", encoding="utf-8") as file:
                file.write(blocks("docs/COSTS.md"))
            self.assertIn("prompt: ", run(python, "-W", "error", costs))
            front = os.path.join(folder, "readme.py")
            with open(front, "w", encoding="utf-8") as file:
                file.write(blocks("README.md"))
            self.assertRegex(run(python, "-W", "error", front), r"train-\S+: .* at lr=.*; \d+ trials, \S+ of 30 spent; .")
            self.assertRegex(said, r"net: .* at .*; \d+ trials, \S+ of 40 spent; .")
            self.assertTrue(os.path.exists(os.path.join(folder, "trials.csv")))
            self.assertIn("net", run(os.path.join(venv, "bin", "eke"), "status", "net"))


class Releases(unittest.TestCase):
    """What a tag becomes in a wheel, and what is left of the wheels before."""

    def build(self, out, *more, target="linux-amd64"):
        command = [sys.executable, os.path.join(ROOT, "scripts", "wheels"), target, "--binary", os.path.join(ROOT, "LICENSE"), "--out", out, *more]
        return subprocess.run(command, capture_output=True, text=True)

    def test_versions(self):
        for tag, pips in (("", ""), ("-rc.1", "rc1"), ("-alpha.2", "a2"), ("-beta", "b0"), ("-rc.1-dev.3", "rc1.dev3"), ("rc1", "rc1"), ("-dev.4+Linux-x", ".dev4+linux.x")):
            version = eke.__version__ + pips
            with tempfile.TemporaryDirectory() as out:
                done = self.build(out, "--version", eke.__version__ + tag)
                self.assertEqual(done.returncode, 0, done.stderr)
                (wheel,) = os.listdir(out)
                self.assertEqual(wheel.split("-py3-")[0], "eke-" + version)
                with zipfile.ZipFile(os.path.join(out, wheel)) as file:
                    self.assertIn(f"\nVersion: {version}\n", file.read(f"eke-{version}.dist-info/METADATA").decode())
                    self.assertIn(f'\n__version__ = "{version}"\n', file.read("eke/__init__.py").decode())

    def test_refused(self):
        with tempfile.TemporaryDirectory() as out:
            for version, words in ((eke.__version__ + "-next", "pip knows no version like"), ("2.0", "__init__.py says " + eke.__version__), (eke.__version__ + ".1-rc.1", "change __version__")):
                done = self.build(out, "--version", version)
                self.assertEqual(done.returncode, 2, version)
                self.assertIn(words, done.stderr)
            self.assertEqual(os.listdir(out), [])

    def test_stale(self):
        with tempfile.TemporaryDirectory() as out:
            for name in ("eke-0.1.0-py3-none-win_amd64.whl", "another-1.0-py3-none-any.whl"):
                with open(os.path.join(out, name), "w", encoding="utf-8"):
                    pass
            self.assertEqual(self.build(out).returncode, 0)
            left = sorted(os.listdir(out))
            self.assertEqual((len(left), left[0]), (2, "another-1.0-py3-none-any.whl"))
            self.assertTrue(left[1].startswith(f"eke-{eke.__version__}-py3-"), left)

    def test_one_platform_after_the_other(self):
        with tempfile.TemporaryDirectory() as out:
            for target in ("linux-amd64", "darwin-arm64", "linux-amd64"):
                self.assertEqual(self.build(out, target=target).returncode, 0)
            self.assertEqual([re.search("macosx|manylinux", name).group() for name in sorted(os.listdir(out))], ["macosx", "manylinux"])
            self.assertEqual(self.build(out, "--version", eke.__version__ + "-rc.1").returncode, 0)
            (left,) = os.listdir(out)
            self.assertTrue(left.startswith(f"eke-{eke.__version__}rc1-"), left)


class Pages(unittest.TestCase):
    """A check that cannot fail proves nothing."""

    def test_lost(self):
        with self.assertRaises(AssertionError):
            lost("docs/COSTS.md", "")
        self.assertEqual(len(lost("docs/PYTHON.md", "1 done 0.32646678835957293 3.0")), 2)


class Types(unittest.TestCase):
    def test_mypy(self):
        mypy = shutil.which("mypy")
        if not mypy:
            self.skipTest("types are not checked: mypy is not installed (Debian: apt-get install mypy)")
        with tempfile.TemporaryDirectory() as cache:
            done = subprocess.run([mypy, "--strict", "--cache-dir", cache, "eke"], cwd=os.path.join(HERE, ".."), capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
