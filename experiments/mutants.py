"""Mutation testing: the share of small faults in the package that its tests notice.

Usage: python -m experiments.mutants [--number 100] [--seed 0] [--tests FOLDER] [--room NAME ...]
[--kept FILE]

A mutant is one changed expression of one file: a comparison, ``+`` for ``-``, ``*`` for ``/``, a
number by one, ``and`` for ``or``, a negated condition, ``min`` for ``max``, the other axis. Mutants
are drawn with a fixed seed, the rooms in turn and the types of change in turn within each, so that
the first 20 of 100 are the 20 of ``--number 20``. Each is written into a temporary copy of the
package, where the tests of its room run until the first failure: the doctests of the room, and the
folders and files that ``ROOMS`` names for it, without those that ``make test`` leaves out.
Of these run the files with tests that call the changed function, such tests first and of them the
quickest of each file; or all, where none does.

``--tests`` names another version of the tests, to compare the power of two versions against the
same mutants: a folder ``tests`` in a checkout, whose ``pyproject.toml`` is taken with it. A run
first requires the tests of a room to pass without a mutant, and notes which functions each test
calls; each mutant then has three times as many CPU seconds, and a minute. What was noted lies
beside ``--kept``, into which each mutant writes one JSON line, and neither is done again where it
is there. The last line printed is the share that died. Some mutants that survive change no result
(``n > 0`` for ``n >= 1``): the share is read beside another version's, not as a grade.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import accumulate, islice, zip_longest
from pathlib import Path
from typing import TypedDict, TypeVar

ROOT = Path(__file__).resolve().parents[1]
KEPT = Path(__file__).with_name("mutants.jsonl")
# Tests beside the room's own folder that are about its results. They run in this order.
ROOMS = {
    "metrics": ("metrics", "golden", "test_same_answer.py"),
    "intervals": ("intervals", "golden", "test_same_answer.py"),
    "significance": (
        "significance",
        "questions/test_paired.py",
        "golden",
        "test_same_answer.py",
    ),
    "comparison": (
        "comparison",
        "report/test_forest.py",
        "readers/test_doubtful.py",
        "golden",
        "test_same_answer.py",
    ),
    "readers": ("readers", "test_inputs.py", "bad_input"),
    "report": ("report", "golden"),
    "data": ("data", "test_inputs.py", "test_predictions.py", "bad_input"),
    "questions": ("questions", "golden", "test_same_answer.py"),
    "plugins": ("plugins",),
}
# What `make test` leaves out.
LEFT_OUT = "pages or experiments or slow or unplugged"
COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "==",
    ast.Is: "is not", ast.IsNot: "is", ast.In: "not in", ast.NotIn: "in",
}  # fmt: skip
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
}  # fmt: skip
EXTREMES = {
    "min": "max", "minimum": "maximum", "argmin": "argmax", "fmin": "fmax", "nanmin": "nanmax",
}  # fmt: skip
EXTREMES |= {high: low for low, high in EXTREMES.items()}
# Parts of the tree that run nothing worth a change. Places inside f-strings are unsure in 3.11.
NOT_RUN = ("annotation", "returns", "decorator_list", "bases")
# Exit codes of pytest; the second is that of a test file that cannot be imported.
TESTS_FAILED, INTERRUPTED = 1, 2
# Of each file, this many of the quickest tests run before any slower one.
QUICKEST = 5
# Seconds by the clock for one of the CPU's, where others use the machine; then it hangs.
PATIENCE = 60
Item = TypeVar("Item")


class Noted(TypedDict):
    """Functions as path and lines; of each test its CPU seconds and the functions it calls."""

    functions: list[str]
    tests: dict[str, tuple[float, list[int]]]


@dataclass(frozen=True)
class Mutant:
    """One expression of a file, by its place in the file's bytes, and its replacement."""

    path: str
    line: int
    kind: str
    start: int
    end: int
    was: str
    becomes: str

    @property
    def name(self) -> str:
        """Describe the change on one line."""
        return f"{self.path}:{self.line} {self.was} -> {self.becomes}"


def mutants(path: Path) -> Iterator[Mutant]:
    """Yield all mutants of a file."""
    text = path.read_text("utf-8")
    starts = [0, *accumulate(len(line) for line in text.encode().splitlines(keepends=True))]
    for kind, node, becomes in _changes(ast.parse(text)):
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        yield Mutant(
            path=path.relative_to(ROOT).as_posix(),
            line=node.lineno,
            kind=kind,
            start=starts[node.lineno - 1] + node.col_offset,
            end=starts[node.end_lineno - 1] + node.end_col_offset,
            was=ast.unparse(node),
            becomes=becomes,
        )


def _changes(node: ast.AST) -> Iterator[tuple[str, ast.expr, str]]:
    """Walk what runs, and yield types of change, the expressions, and what they become."""
    if isinstance(node, ast.expr):
        for kind, changed in _changed(node):
            yield kind, node, f"({changed})"
    for test in _conditions(node):
        yield "condition", test, f"(not ({ast.unparse(test)}))"
    if isinstance(node, ast.keyword) and node.arg == "axis" and _is_number(node.value):
        yield "axis", node.value, "0" if ast.unparse(node.value) == "1" else "1"
        return
    if isinstance(node, ast.JoinedStr):
        return
    for name, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            if name not in NOT_RUN and isinstance(child, ast.AST):
                yield from _changes(child)


def _changed(node: ast.expr) -> Iterator[tuple[str, str]]:
    """Yield the kinds and the texts of changes of the outermost operation of an expression."""
    match node:
        case ast.Compare(left, [sign], [right]):
            yield (
                "comparison",
                f"{ast.unparse(left)} {COMPARISONS[type(sign)]} {ast.unparse(right)}",
            )
        case ast.BinOp(left, sign, right) if type(sign) in ARITHMETIC:
            yield "arithmetic", ast.unparse(ast.BinOp(left, ARITHMETIC[type(sign)](), right))
        case ast.BoolOp(sign, values):
            other = ast.Or() if isinstance(sign, ast.And) else ast.And()
            yield "boolean", ast.unparse(ast.BoolOp(other, values))
        case ast.Name(name) if name in EXTREMES:
            yield "extreme", EXTREMES[name]
        case ast.Attribute(attr=name) if name in EXTREMES:
            yield "extreme", ast.unparse(node).removesuffix(name) + EXTREMES[name]
        case ast.Constant(int() | float() as value) if not isinstance(value, bool):
            yield "constant", repr(value + 1)


def _conditions(node: ast.AST) -> list[ast.expr]:
    match node:
        case ast.If(test) | ast.IfExp(test) | ast.While(test):
            return [test]
        case ast.comprehension(ifs=tests):
            return tests
    return []


def _is_number(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) in (int, float)


def drawn(rooms: Sequence[str], number: int, seed: int) -> list[Mutant]:
    """Draw mutants, the rooms in turn, and in each room the types of change in turn."""
    generator = random.Random(seed)
    queues = []
    for room in rooms:
        kinds: dict[str, list[Mutant]] = {}
        for path in sorted((ROOT / "modelcompare" / room).rglob("*.py")):
            for mutant in mutants(path):
                kinds.setdefault(mutant.kind, []).append(mutant)
        for found in kinds.values():
            generator.shuffle(found)
        queues.append(_in_turn(kinds.values()))
    return list(islice(_in_turn(queues), number))


def _in_turn(queues: Iterable[Iterable[Item]]) -> Iterator[Item]:
    """Yield the first of each queue, then the second of each, past those that are at their end."""
    for items in zip_longest(*queues):
        yield from (item for item in items if item is not None)


class Copy:
    """The package and a version of its tests in a folder where files may be changed."""

    def __init__(self, folder: Path, tests: Path) -> None:
        self.folder = folder
        left_out = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / "modelcompare", folder / "modelcompare", ignore=left_out)
        shutil.copytree(tests, folder / "tests", ignore=left_out)
        for place in tests.parent.iterdir():
            if place.name not in ("modelcompare", "tests", ".git"):
                (folder / place.name).symlink_to(place)

    def run(
        self, tests: Sequence[str], limit: float | None = None, **plugin: Path
    ) -> tuple[str, str]:
        """Run tests to the first failure; return the outcome and who failed.

        `limit` are CPU seconds, and `plugin` the files that likely_killers.py reads or writes.
        """
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider"]
        command += ["-m", f"not ({LEFT_OUT})"]
        paths = os.pathsep.join([str(self.folder), str(Path(__file__).parent)])
        files = {f"MUTANTS_{name.upper()}": str(path) for name, path in plugin.items()}
        process = subprocess.Popen(
            [*command, "-p", "likely_killers", *tests],
            cwd=self.folder,
            env=os.environ | {"PYTHONPATH": paths} | files,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            process_group=0,
        )
        if limit is not None:
            resource.prlimit(process.pid, resource.RLIMIT_CPU, (int(limit), int(limit)))
        try:
            printed, _ = process.communicate(timeout=limit and PATIENCE * limit)
        except subprocess.TimeoutExpired:
            # Tests start separate processes, which would run on.
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return "died", "time limit"
        if process.returncode == 0:
            return "survived", ""
        if process.returncode in (-signal.SIGKILL, -signal.SIGXCPU):
            return "died", "time limit"
        # A mutant with which the package cannot be imported stops pytest before the tests.
        started = process.returncode in (TESTS_FAILED, INTERRUPTED) or "conftest" in printed
        if not started and str(self.folder / "modelcompare") not in printed:
            raise SystemExit(f"pytest did not run the tests: {printed[-300:]}")
        failed = re.findall(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", printed, re.MULTILINE)
        return "died", failed[0] if failed else printed[-300:]

    @contextmanager
    def changed(self, mutant: Mutant) -> Iterator[None]:
        """Put a mutant into the package for a while."""
        path = self.folder / mutant.path
        kept = path.read_bytes()
        try:
            self._write(path, kept[: mutant.start] + mutant.becomes.encode() + kept[mutant.end :])
            yield
        finally:
            self._write(path, kept)

    @staticmethod
    def _write(path: Path, text: bytes) -> None:
        """Write a module; its compiled file could be taken for its own within the same second."""
        path.write_bytes(text)
        for compiled in (path.parent / "__pycache__").glob(f"{path.stem}.*"):
            compiled.unlink()


def run(asked: argparse.Namespace) -> list[str]:
    """Run mutants that have no line yet; return the outcomes of all."""
    chosen = drawn(asked.room, asked.number, asked.seed)
    label = str(asked.tests)
    outcomes = {m: line["outcome"] for m, line in _kept(asked.kept, label).items()}
    with tempfile.TemporaryDirectory() as folder:
        copy = Copy(Path(folder), asked.tests.resolve())
        first = Path(folder) / "first"
        for mutant in chosen:
            if mutant.name in outcomes:
                continue
            room = mutant.path.split("/")[1]
            noted = _noted(copy, room, asked.kept.with_name(f"{asked.kept.stem}-{room}.json"))
            first.write_text("\n".join(_likely(mutant, noted)), "utf-8")
            began = time.perf_counter()
            with copy.changed(mutant):
                outcome, by = copy.run(_files(mutant, noted), _limit(noted), first=first)
            seconds = round(time.perf_counter() - began, 1)
            line = {"mutant": mutant.name, "kind": mutant.kind, "tests": label}
            _keep(asked.kept, line | {"outcome": outcome, "by": by, "seconds": seconds})
            print(f"{outcome:8} {seconds:6.1f} s  {mutant.name}", flush=True)
            outcomes[mutant.name] = outcome
    return [outcomes[mutant.name] for mutant in chosen]


def _tests(room: str) -> list[str]:
    return [f"modelcompare/{room}", *(f"tests/{name}" for name in ROOMS[room])]


def _noted(copy: Copy, room: str, path: Path) -> Noted:
    """Return what each test of a room calls; they run without a mutant, and must pass."""
    if not path.is_file():
        written = copy.folder / "calls"
        outcome, by = copy.run(_tests(room), calls=written)
        if outcome != "survived":
            raise SystemExit(f"the tests of {room} fail without a mutant: {by}")
        shutil.copyfile(written, path)
    noted: Noted = json.loads(path.read_text("utf-8"))
    return noted


def _limit(noted: Noted) -> float:
    """Return the CPU seconds to allow."""
    return 60 + 3 * sum(seconds for seconds, _ in noted["tests"].values())


def _files(mutant: Mutant, noted: Noted) -> list[str]:
    """Return the files with tests that call the function of a mutant, or all."""
    tests = _likely(mutant, noted) or noted["tests"]
    return list(dict.fromkeys(test.split("::")[0] for test in tests))


def _likely(mutant: Mutant, noted: Noted) -> list[str]:
    """Return the tests that call the function of a mutant, the quickest of each file first."""
    inside = set()
    for number, name in enumerate(noted["functions"]):
        path, first, last = name.rsplit(":", 2)
        if path == mutant.path and int(first) <= mutant.line <= int(last):
            inside.add(number)
    files: dict[str, list[tuple[float, str]]] = defaultdict(list)
    for test, (seconds, called) in noted["tests"].items():
        if inside & set(called):
            files[test.split("::")[0]].append((seconds, test))
    quickest_first = sorted(map(sorted, files.values()))
    parts = [*(of[:QUICKEST] for of in quickest_first), *(of[QUICKEST:] for of in quickest_first)]
    return [test for part in parts for _, test in part]


def _kept(path: Path, label: str) -> dict[str, dict[str, str]]:
    """Return the lines of a version of the tests by their mutants."""
    if not path.is_file():
        return {}
    lines = map(json.loads, path.read_text("utf-8").splitlines())
    return {line["mutant"]: line for line in lines if line["tests"] == label}


def _keep(path: Path, line: dict[str, object]) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")


def main() -> None:
    """Run the mutants that are asked for, and print the share that died."""
    parser = argparse.ArgumentParser(description="Count small faults that the tests notice.")
    parser.add_argument("--number", type=int, default=100, help="of mutants (100)")
    parser.add_argument("--seed", type=int, default=0, help="of the draw (0)")
    parser.add_argument("--tests", type=Path, default=ROOT / "tests", help="another version")
    parser.add_argument("--room", nargs="+", default=[*ROOMS], choices=ROOMS, help="these alone")
    parser.add_argument("--kept", type=Path, default=KEPT, help="the file of results")
    outcomes = run(parser.parse_args())
    died = outcomes.count("died")
    print(f"{died} of {len(outcomes)} mutants died ({died / max(len(outcomes), 1):.0%})")


if __name__ == "__main__":
    main()
