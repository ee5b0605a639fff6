"""Paths: of examples, and of files to write, which are replaced completely or not at all."""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

_MOST_LINKS = 40
_EXAMPLES = Path(__file__).parent / "examples"


def example_file(name: str) -> Path | None:
    """Return the place of an example that ships with the package, by its file name; None of others.

    Examples
    --------
    >>> example_file("digits.csv").name, example_file("mine.csv")
    ('digits.csv', None)
    """
    shipped = {path.name: path for path in _EXAMPLES.iterdir() if path.suffix in (".csv", ".npz")}
    return shipped.get(name)


def check_writable(path: str | os.PathLike[str]) -> Path:
    """Refuse a path that cannot be written, before any work is done."""
    path = Path(path)
    if path.is_dir():
        raise ValueError(f"{path} is a folder; name a file in it.")
    if not path.parent.is_dir():
        raise ValueError(f"{path}: the folder {path.parent} does not exist; create it first.")
    if _stream(path) is not None:
        return path
    target = _target(path)
    if target.is_symlink():
        raise ValueError(f"{path} is a link that leads to itself; name another file.")
    # Replacing a file changes its folder.
    changed = [target] if target.exists() else []
    changed += [] if _is_device(target) else [target.parent]
    if not all(os.access(each, os.W_OK) for each in changed):
        raise ValueError(f"{path}: you may not write there; name another file.")
    return path


def check_folder_writable(path: Path) -> None:
    """Refuse a folder that can neither be created nor written to."""
    if path.exists() and not path.is_dir():
        raise ValueError(f"{path} is a file; name a folder.")
    above = next(each for each in (path, *path.absolute().parents) if each.exists())
    if not above.is_dir():
        raise ValueError(f"{path}: {above} is a file, so no folder can be in it; name another.")
    if not os.access(above, os.W_OK):
        raise ValueError(f"{path}: you may not write there; name another folder.")


def write_bytes(path: Path, data: bytes) -> Path:
    """Write to an open stream, a device or a pipe; replace a file, or the target of a link."""
    check_writable(path)
    stream, target = _stream(path), _target(path)
    try:
        if stream is not None:
            sys.stdout.flush()
            with open(os.dup(stream), "wb") as file:
                file.write(data)
        elif _is_device(target):
            target.write_bytes(data)
        else:
            _replace(target, data)
    except OSError as error:
        if error.errno is None:
            raise
        # The error of a full disk does not name the file.
        raise OSError(error.errno, error.strerror, str(path)) from error
    return path


def _stream(path: Path) -> int | None:
    """Return the number of the open stream that a path such as /dev/stdout names, else None.

    Its last link is not followed: /dev/stdout may lead to a log that others append to.
    """
    for _ in range(_MOST_LINKS):
        folder = os.path.realpath(path.parent)
        if re.fullmatch(rf"/dev/fd|/proc/{os.getpid()}(/task/\d+)?/fd", folder):
            return int(path.name) if path.name.isdigit() else None
        if not path.is_symlink():
            return None
        path = Path(folder, os.readlink(path))
    return None


def _target(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _is_device(target: Path) -> bool:
    return target.exists() and not target.is_file()


def _replace(target: Path, data: bytes) -> None:
    """Write next to the target under a random name, then rename the file over it."""
    _forget_killed_writers(target.parent)
    temporary = target.with_name(f".modelcompare-{os.urandom(8).hex()}.tmp")
    try:
        with _new_file(temporary, target) as file:
            if target.exists():
                _take_mode(file.fileno(), target.stat())
            file.write(data)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


@contextmanager
def _new_file(path: Path, target: Path) -> Iterator[BinaryIO]:
    """Open a file that is named only when it is complete, and then renamed to the target.

    Where the system has no files without names, it is named from the start. A link at the path is
    not followed.
    """
    unnamed = _unnamed_file(path.parent)
    if unnamed is None:
        number = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    else:
        number = unnamed
    with open(number, "wb") as file:
        # On a file system without locks nothing is cleaned up.
        with suppress(OSError):
            _lock(number)
        yield file
        file.flush()
        if unnamed is not None:
            # Only with a folder (which an absolute path leaves unused) does Python follow links.
            os.link(f"/proc/self/fd/{number}", path, src_dir_fd=number)
            path.replace(target)
    if unnamed is None:
        path.replace(target)


def _unnamed_file(folder: Path) -> int | None:
    if hasattr(os, "O_TMPFILE") and os.path.isdir("/proc/self/fd"):
        with suppress(OSError):
            return os.open(folder, os.O_WRONLY | os.O_TMPFILE, 0o666)
    return None


def _forget_killed_writers(folder: Path) -> None:
    """Remove files of writers that were killed before they renamed them: their lock is free."""
    if sys.platform == "win32":
        return
    for path in folder.glob(".modelcompare-*.tmp"):
        with suppress(OSError):
            number = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
            try:
                _lock(number)
                path.unlink()
            finally:
                os.close(number)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock of a path, after waiting for who holds it; it is free when a process ends.

    The lock is that of a file next to it, whose name ends in ``.lock``.
    """
    check_writable(path)
    target = _target(path)
    number = os.open(target.with_name(f"{target.name}.lock"), os.O_RDWR | os.O_CREAT, 0o666)
    try:
        _lock(number, wait=True)
        yield
    finally:
        os.close(number)


def _lock(number: int, *, wait: bool = False) -> None:
    if sys.platform == "win32":
        if wait:
            import msvcrt

            msvcrt.locking(number, msvcrt.LK_LOCK, 1)
    else:
        import fcntl

        fcntl.flock(number, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))


def _take_mode(number: int, replaced: os.stat_result) -> None:
    """Copy owner and permissions from the file that is replaced."""
    if os.name == "posix":
        with suppress(PermissionError):
            os.fchown(number, replaced.st_uid, replaced.st_gid)
        os.fchmod(number, stat.S_IMODE(replaced.st_mode))
