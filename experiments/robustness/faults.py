"""What becomes of files when a command that writes them is ended, meets another, or has no room.

Each command runs as a process over outputs that are there. It is killed at random moments: half of
them at any time of its run, half once a file of its folder is open for writing. Then every file
must hold the old bytes or the new ones, whole, and nothing may lie beside them. Where a system
knows no file without a name, a kill between naming and renaming leaves a hidden one, which the next
writer must clear up; such files are counted.
"""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

import numpy as np

from experiments.robustness.commands import COMMANDS, Command, files_in, fill, make_inputs, written

LEFT_BY_KILL = ".modelcompare-"
# Room for a part of the smallest output, and for none whole.
_ROOM = 64
_FILLER = "filler"
Row = dict[str, str | int]


def run(
    times: int, seed: int, n_jobs: int, names: Sequence[str], keep: Callable[[list[Row]], None]
) -> None:
    """Try all faults on all commands, or on those of these names, and keep the rows of each."""
    commands = [each for each in COMMANDS if not names or each.name in names]
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor(n_jobs) as pool:
        folder = Path(name)
        make_inputs(folder / "in")
        streams = np.random.default_rng(seed).spawn(len(commands))
        tried = partial(_rows, times=times, folder=folder, can_mount=_can_mount(folder))
        for rows in pool.map(tried, commands, streams):
            keep(rows)


def _rows(
    command: Command, rng: np.random.Generator, *, times: int, folder: Path, can_mount: bool
) -> list[Row]:
    trial = Trial(command, folder / command.name.replace(" ", "-"), rng)
    return [
        trial.row("kill -9", times, partial(trial.ended, signal.SIGKILL)),
        trial.row("SIGTERM", max(1, times // 8), partial(trial.ended, signal.SIGTERM)),
        trial.row("Ctrl-C", max(1, times // 8), partial(trial.ended, signal.SIGINT)),
        trial.row("two writers", max(1, times // 20), trial.two_at_once),
        trial.row("no room for a file", 1, trial.without_room),
        trial.row("full disk", int(can_mount), trial.on_a_full_disk),
    ]


class Trial:
    """One command over its old outputs, again and again."""

    def __init__(self, command: Command, work: Path, rng: np.random.Generator) -> None:
        self.command, self.work, self.rng = command, work, rng
        started = time.monotonic()
        self.new = written(command, work)
        self.duration = time.monotonic() - started
        self.other = written(command, work, other=True) if command.other else self.new
        kept = {name for name in self.new if command.resumes and name.startswith("kept/")}
        self.old = {name: f"old {name}\n".encode() * 50 for name in self.new if name not in kept}

    def row(self, fault: str, times: int, once: Callable[[int], Counter[str]]) -> Row:
        """Try a fault some times; what was found, by kind."""
        found: Counter[str] = Counter()
        for turn in range(times):
            fill(self.work, self.old)
            found += once(turn)
        names = ("while it ran", "old", "new", "old and new", "temporary", "wrong")
        return {
            "command": self.command.name, "fault": fault, "times": times,
            **{name: found[name] for name in names},
        }  # fmt: skip

    def ended(self, number: signal.Signals, turn: int) -> Counter[str]:
        """End the command by a signal, at any time or while it writes."""
        with self.command.start(self.work) as process:
            if turn % 2:
                self._wait_for_writing(process)
                time.sleep(self.rng.uniform(0, 0.002))
            else:
                with suppress(subprocess.TimeoutExpired):
                    process.wait(self.rng.uniform(0, self.duration))
            process.send_signal(number)
            assert process.stderr is not None
            stderr = process.stderr.read().decode()
        found = self._judged(self.new)
        found["while it ran"] += process.returncode == -number
        # Ended by the signal (a shell calls that 130 after Ctrl-C), or done before it came.
        ended = process.returncode in (-number, 0) and "Traceback" not in stderr
        self._expect(
            found,
            ended or _python_was_starting(stderr),
            f"ended with {process.returncode}: {stderr}",
        )
        if self.command.resumes:
            self._expect(found, self._finished() == self.new, "another answer when resumed")
        return found

    def two_at_once(self, _turn: int) -> Counter[str]:
        """Start two that write to the same place; each file is whole, of one or the other."""
        one = self.command.start(self.work)
        two = self.command.start(self.work, other=bool(self.command.other))
        stderr = [each.communicate()[1].decode() for each in (one, two)]
        found = self._judged(self.new, self.other)
        self._expect(found, one.returncode == two.returncode == 0, f"two writers: {stderr}")
        return found

    def without_room(self, _turn: int) -> Counter[str]:
        """Let no file grow beyond a few bytes; the message names the place, files are as before."""
        import resource  # Windows has none, and the tests of the workflows read this file there.

        limit = partial(resource.setrlimit, resource.RLIMIT_FSIZE, (_ROOM, _ROOM))
        return self._told_where(limit)

    def on_a_full_disk(self, _turn: int) -> Counter[str]:
        """The same on a small disk that is full."""
        with _small_disk(self.work):
            fill(self.work, self.old)
            with suppress(OSError), (self.work / _FILLER).open("wb", buffering=0) as file:
                while file.write(bytes(4096)):
                    pass
            return self._told_where(None)

    def _told_where(self, first: Callable[[], None] | None) -> Counter[str]:
        with self.command.start(self.work, first=first) as process:
            assert process.stderr is not None
            stderr = process.stderr.read().decode().splitlines()
        (self.work / _FILLER).unlink(missing_ok=True)
        found = self._judged({})
        places = [Path(name).name for name in self.new] + ["kept"]
        announced = stderr and stderr[-1].startswith("modelcompare: error: ")
        self._expect(found, process.returncode == 74 and bool(announced), f"stderr: {stderr}")
        named = any(place in line for place in places for line in stderr[-1:])
        self._expect(found, named, f"no place is named in {stderr}")
        return found

    def _judged(self, *whole: dict[str, bytes]) -> Counter[str]:
        """How each file stands, and what the next writer clears up."""
        found: Counter[str] = Counter()
        there = files_in(self.work)
        left = [name for name in there if Path(name).name.startswith(LEFT_BY_KILL)]
        if left:
            found["temporary"] += len(left)
            self._finished()
            cleared = not any(name in files_in(self.work) for name in left)
            self._expect(found, cleared, f"{left} stayed")
        seen = set()
        for name, data in there.items():
            if name in left or (self.command.resumes and name.startswith("kept/")):
                continue
            if data == self.old.get(name):
                seen.add("old")
            elif any(data == each.get(name) for each in whole):
                seen.add("new")
            else:
                self._expect(found, False, f"{name} holds {data[:40]!r}, {len(data):,} bytes")
        lost = self.old.keys() - there.keys()
        self._expect(found, not lost, f"{lost} lost")
        found[" and ".join(sorted(seen, reverse=True)).replace("new and old", "old and new")] += 1
        return found

    def _expect(self, found: Counter[str], holds: bool, otherwise: str) -> None:
        if not holds:
            found["wrong"] += 1
            print(f"{self.command.name}: {otherwise}", flush=True)

    def _finished(self) -> dict[str, bytes]:
        """Run the command again, over what is there."""
        with self.command.start(self.work) as process:
            process.communicate()
        return files_in(self.work)

    def _wait_for_writing(self, process: subprocess.Popen[bytes]) -> None:
        """Wait until the process holds a file of its folder open, or has ended."""
        while process.poll() is None:
            with suppress(OSError):
                for number in os.listdir(f"/proc/{process.pid}/fd"):
                    path = os.readlink(f"/proc/{process.pid}/fd/{number}")
                    if path.startswith(f"{self.work}/"):
                        return
            time.sleep(0.0005)


def _python_was_starting(stderr: str) -> bool:
    """Whether Ctrl-C came before the first line of the command line, when Python itself answers."""
    return "KeyboardInterrupt" in stderr and "/modelcompare/cli/" not in stderr


@contextmanager
def _small_disk(folder: Path) -> Iterator[None]:
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", folder], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


def _can_mount(folder: Path) -> bool:
    """Whether this user may, and the system knows how."""
    place = folder / "disk"
    place.mkdir(exist_ok=True)
    try:
        with _small_disk(place):
            return True
    except (OSError, subprocess.CalledProcessError):
        return False
