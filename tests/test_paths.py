import errno
import fcntl
import os
import resource
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from modelcompare.paths import check_folder_writable, check_writable, write_bytes

ROOT = Path(__file__).parents[1]
ENDLESS = """
import sys
from pathlib import Path
from modelcompare.paths import write_bytes
whole = [b"a" * 300_000, b"b" * 300_000]
write_bytes(Path("scores.csv"), whole[0])
print("ready", flush=True)
while True:
    whole.reverse()
    write_bytes(Path("scores.csv"), whole[0])
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
@pytest.mark.parametrize("first", ["", "import os; del os.O_TMPFILE"], ids=["unnamed", "named"])
def test_a_killed_writer_leaves_a_whole_file_and_nothing_else(tmp_path, number, first):
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    for turn in range(5):
        command = [sys.executable, "-c", first + ENDLESS]
        with subprocess.Popen(
            command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE
        ) as writer:
            assert writer.stdout.readline() == b"ready\n"
            with pytest.raises(subprocess.TimeoutExpired):
                writer.wait(0.05 + 0.007 * turn)
            writer.send_signal(number)
        assert (tmp_path / "scores.csv").read_bytes() in (b"a" * 300_000, b"b" * 300_000)
        # A kill between naming and renaming leaves a file, until the next writer comes.
        write_bytes(tmp_path / "scores.csv", b"b" * 300_000)
        assert [path.name for path in tmp_path.iterdir()] == ["scores.csv"]


def test_only_what_nobody_holds_is_removed(tmp_path):
    dead, held, victim = (
        tmp_path / f".modelcompare-{name}.tmp" for name in ("dead", "held", "link")
    )
    dead.touch()
    victim.symlink_to(tmp_path / "victim")
    (tmp_path / "victim").write_text("precious")
    with held.open("wb") as living:
        fcntl.flock(living, fcntl.LOCK_EX)
        write_bytes(tmp_path / "scores.csv", b"new")
        assert sorted(path.name for path in tmp_path.iterdir()) == [
            held.name, victim.name, "scores.csv", "victim",
        ]  # fmt: skip
    assert (tmp_path / "victim").read_text() == "precious"


@pytest.fixture(params=["without a name", "with a name"])
def either_way(request, monkeypatch):
    """Write as systems do that know files without a name, and as the others do."""
    if request.param == "with a name":
        monkeypatch.delattr(os, "O_TMPFILE", raising=False)


@pytest.mark.usefixtures("either_way")
def test_a_file_that_is_replaced_keeps_its_mode(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text("old")
    path.chmod(0o600)
    write_bytes(path, b"new")
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.usefixtures("either_way")
def test_a_new_file_has_the_mode_that_the_umask_leaves(tmp_path):
    before = os.umask(0o027)
    try:
        path = write_bytes(tmp_path / "scores.csv", b"new")
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


@pytest.mark.usefixtures("either_way")
def test_no_planted_link_is_followed(tmp_path, monkeypatch):
    monkeypatch.setattr("os.urandom", bytes)
    victim = tmp_path / "victim"
    victim.write_text("precious")
    (tmp_path / f".modelcompare-{'0' * 16}.tmp").symlink_to(victim)
    (tmp_path / f".scores.csv.{os.getpid()}.tmp").symlink_to(victim)
    with pytest.raises(FileExistsError):
        write_bytes(tmp_path / "scores.csv", b"new")
    assert victim.read_text() == "precious"


@pytest.mark.usefixtures("either_way")
def test_a_link_stays_one_and_a_long_name_is_no_hindrance(tmp_path):
    target = tmp_path / ("n" * 251 + ".csv")
    target.write_text("old")
    link = tmp_path / "link.csv"
    link.symlink_to(target.name)
    write_bytes(link, b"new")
    assert link.is_symlink()
    assert target.read_text() == "new"


@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "out"])
def test_a_stream_is_written_through_whatever_lies_behind_it(tmp_path, name):
    (tmp_path / "out").symlink_to("/dev/stdout")
    log = tmp_path / "log"
    log.write_bytes(b"before\n")
    inode = log.stat().st_ino
    code = f"""
from pathlib import Path
from modelcompare.paths import write_bytes
print("one")
write_bytes(Path({name!r}), b"two\\n")
print("three")
"""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with log.open("ab") as stream:
        subprocess.run(
            [sys.executable, "-c", code], cwd=tmp_path, env=environment, stdout=stream, check=True
        )
    assert log.read_bytes() == b"before\none\ntwo\nthree\n"
    assert log.stat().st_ino == inode


def test_a_device_and_a_pipe_are_written_to(tmp_path):
    write_bytes(Path("/dev/null"), b"nothing")
    assert Path("/dev/null").is_char_device()
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE) as reader:
        write_bytes(pipe, b"through")
        assert reader.communicate()[0] == b"through"
    assert pipe.is_fifo()


def test_a_full_device_is_an_error_of_writing():
    with pytest.raises(OSError, match="No space left") as caught:
        write_bytes(Path("/dev/full"), b"too much")
    assert (caught.value.errno, caught.value.filename) == (errno.ENOSPC, "/dev/full")


@pytest.mark.usefixtures("either_way")
def test_a_file_that_may_not_grow_is_named_and_the_old_one_stays(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text("old")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, before[1]))
    try:
        with pytest.raises(OSError, match="File too large") as caught:
            write_bytes(path, b"n" * 100)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert caught.value.filename == str(path)
    assert path.read_text() == "old"
    assert [*tmp_path.iterdir()] == [path]


def test_a_loop_of_links_is_refused(tmp_path):
    loop = tmp_path / "loop.csv"
    loop.symlink_to(loop)
    with pytest.raises(ValueError, match=r"loop\.csv is a link that leads to itself; name another"):
        check_writable(loop)


def test_what_may_not_be_written_is_refused_early(tmp_path, monkeypatch):
    path = tmp_path / "scores.csv"
    path.write_text("old")
    monkeypatch.setattr(os, "access", lambda place, _mode: Path(place) != path)
    with pytest.raises(
        ValueError, match=r"scores\.csv: you may not write there; name another file"
    ):
        check_writable(path)
    assert check_writable(tmp_path / "other.csv")


def test_a_folder_can_be_made_where_a_folder_is(tmp_path):
    (tmp_path / "file").write_text("")
    check_folder_writable(tmp_path / "new" / "folder")
    with pytest.raises(ValueError, match=r"file is a file; name a folder\."):
        check_folder_writable(tmp_path / "file")
    with pytest.raises(ValueError, match=r"file is a file, so no folder can be in it"):
        check_folder_writable(tmp_path / "file" / "below")
