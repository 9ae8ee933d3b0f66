"""The log of datagrams: what was appended survives any crash; a torn tail is cut and counted."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from wirestream.record.log import (
    EACH,
    NEVER,
    RECORD,
    SEGMENT,
    Datagram,
    Log,
    LogError,
    Position,
    Reader,
    index_of,
    path_of,
    policy,
    segments,
)
from wirestream.sim import simulate

SOURCE = ("192.168.1.10", 4000)


def drawn(count: int, most: int = 300) -> list[Datagram]:
    generator = random.Random(simulate.seed())
    return [Datagram(k, SOURCE, generator.randbytes(generator.randrange(most))) for k in range(count)]


def written(folder: Path, datagrams: list[Datagram], **options) -> int:
    """Append datagrams, some together; returns the number of torn bytes that were found."""
    generator = random.Random(len(datagrams))
    with Log(folder, **options) as log:
        at = 0
        while at < len(datagrams):
            step = generator.randrange(1, 5)
            log.extend(datagrams[at : at + step])
            at += step
        return log.torn


def found(folder: Path) -> list[Datagram]:
    return [datagram for _, datagram in Reader(folder).datagrams()]


@pytest.mark.parametrize("fsync", [EACH, 0.001, NEVER])
def test_what_was_appended_is_read(tmp_path, fsync):
    wanted = drawn(2000)
    assert written(tmp_path, wanted, segment_bytes=50_000, fsync=fsync) == 0
    assert found(tmp_path) == wanted
    assert len(segments(tmp_path)) > 5


def test_an_empty_datagram_ends_a_segment(tmp_path):
    """A record without payload as the last one of every segment."""
    wanted = [datagram._replace(payload=bytes(10 * (n % 2 == 0))) for n, datagram in enumerate(drawn(6))]
    with Log(tmp_path, segment_bytes=SEGMENT.size + 2 * RECORD.size + 10) as log:
        places = [log.append(*datagram) for datagram in wanted]
        end = log.position
    assert segments(tmp_path) == [1, 2, 3] and places[1::2] == [Position(n, SEGMENT.size + 34) for n in (1, 2, 3)]
    log = Reader(tmp_path)
    assert log.end() == end and log.end(places[4], 35) == end
    assert found(tmp_path) == wanted
    for place, datagram in zip(places[1::2], wanted[1::2], strict=True):
        assert next(log.datagrams(place)) == (place, datagram)
    assert written(tmp_path, wanted[:1]) == 0
    assert found(tmp_path) == [*wanted, wanted[0]]


class Calls:
    """The system calls in order: each write with its number of bytes, each sync with the size of the file."""

    def __init__(self, patch: pytest.MonkeyPatch):
        self.seen: list[tuple[str, int]] = []
        write, sync = os.write, os.fdatasync
        patch.setattr(os, "write", lambda file, data: self._note("write", len(data), write(file, data)))
        patch.setattr(os, "fdatasync", lambda file: self._note("fdatasync", os.fstat(file).st_size, sync(file)))

    def _note(self, name: str, size: int, answer: int | None) -> int | None:
        self.seen.append((name, size))
        return answer

    def take(self) -> list[tuple[str, int]]:
        seen, self.seen = self.seen, []
        return seen


def test_each_append_is_on_disk_before_it_returns(tmp_path, monkeypatch):
    """One write, then one fdatasync of the complete file, for one append and for many datagrams together."""
    wanted = drawn(20)
    with Log(tmp_path, fsync=EACH) as log:
        calls = Calls(monkeypatch)
        for few in (wanted[:1], wanted[1:2], wanted[2:]):
            size = sum(RECORD.size + len(datagram.payload) for datagram in few)
            log.extend(few)
            assert calls.take() == [("write", size), ("fdatasync", log.position.offset)]
        assert log.append(*wanted[0]) < log.position
        assert [name for name, _ in calls.take()] == ["write", "fdatasync"]


def test_an_append_that_cannot_be_synced_does_not_return(tmp_path, monkeypatch):
    def fails(file: int) -> None:
        raise OSError("the disk is gone")

    with Log(tmp_path, fsync=EACH) as log, monkeypatch.context() as patch:
        patch.setattr(os, "fdatasync", fails)
        with pytest.raises(OSError, match="the disk is gone"):
            log.append(1, SOURCE, b"a")


def test_other_policies_sync_where_they_say(tmp_path, monkeypatch):
    """Seconds: a thread syncs, an append never does. NEVER: sync only at the end of a segment and of the log."""
    calls = Calls(monkeypatch)
    with Log(tmp_path / "thread", fsync=0.01) as log:
        size = log.append(1, SOURCE, b"a").offset + RECORD.size + 1
        wait_for(lambda: ("fdatasync", size) in calls.seen)
    calls.take()
    with Log(tmp_path / "never", fsync=NEVER, segment_bytes=SEGMENT.size + 1) as log:
        log.append(1, SOURCE, b"a")
        assert [name for name, _ in calls.take()] == ["write", "write"]  # the first is the segment's header
        log.append(2, SOURCE, b"b")
        assert [name for name, _ in calls.take()] == ["fdatasync", "write", "write"]
    assert [name for name, _ in calls.take()] == ["fdatasync"]


def wait_for(condition: Callable[[], bool]) -> None:
    until = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < until, "it did not happen"
        time.sleep(0.005)


def test_ranges_are_whole_records(tmp_path):
    """For random positions and ranges, also if the index is missing or wrong."""
    wanted, generator = drawn(3000), random.Random(simulate.seed())
    written(tmp_path, wanted, segment_bytes=300_000)
    log = Reader(tmp_path)
    places = [place for place, _ in log.datagrams()] + [log.end()]
    for damage in (lambda index: None, lambda index: index.write_bytes(generator.randbytes(4000)), Path.unlink):
        damage(index_of(tmp_path, 1))
        for _ in range(5):
            first, last = sorted(generator.sample(range(len(places)), 2))
            parts = log.ranges(places[first], places[last], generator.randrange(1, 10_000))
            read = [d for s, a, b in parts for _, d in log.datagrams(Position(s, a), Position(s, b))]
            assert read == wanted[first:last]
            most = generator.randrange(1, 100_000)
            end = log.end(places[first], most)
            assert end in places
            assert end == log.end() or end > places[first]
            assert log.end(places[first]) == places[-1]


def test_a_torn_tail_is_cut_wherever_it_is_torn(tmp_path):
    wanted = drawn(4, most=40)
    written(tmp_path / "whole", wanted)
    data = path_of(tmp_path / "whole", 1).read_bytes()
    places = [place.offset for place, _ in Reader(tmp_path / "whole").datagrams()] + [len(data)]
    for size in range(len(data)):
        folder = tmp_path / str(size)
        folder.mkdir()
        path_of(folder, 1).write_bytes(data[:size])
        kept = sum(end <= size for end in places[1:])
        whole = places[kept] if size >= SEGMENT.size else 0
        assert found(folder) == wanted[:kept]
        assert written(folder, wanted[kept:]) == size - whole
        assert found(folder) == wanted
        assert segments(folder) == [1, 2]
        assert size == whole or not whole or (folder / "0000000001.torn").read_bytes() == data[whole:size]


def test_a_flipped_bit_is_found(tmp_path):
    wanted = drawn(3)
    written(tmp_path, wanted)
    path = path_of(tmp_path, 1)
    data = bytearray(path.read_bytes())
    data[-1] ^= 4
    path.write_bytes(data)
    assert found(tmp_path) == wanted[:2]  # in the newest segment it is the torn tail
    written(tmp_path, wanted[2:])
    assert found(tmp_path) == wanted
    second = list(Reader(tmp_path).datagrams())[1][0]
    data[second.offset - 1] ^= 4
    path.write_bytes(data)
    with pytest.raises(LogError, match=f"bad record at byte {SEGMENT.size}"):
        found(tmp_path)


def test_a_place_that_a_crash_took_is_never_another_record(tmp_path):
    """A reader had read more than a crash of the machine left on disk."""
    wanted = drawn(10)
    written(tmp_path, wanted)
    log = Reader(tmp_path)
    places = [place for place, _ in log.datagrams()]
    ahead = log.end()
    with path_of(tmp_path, 1).open("r+b") as file:
        file.truncate(places[6].offset)
    new = [datagram._replace(arrival=100 + datagram.arrival) for datagram in wanted]
    written(tmp_path, new)
    assert [d for _, d in log.datagrams(ahead)] == new


CHILD = """
import resource, signal, sys
from wirestream.record.log import EACH, Log
signal.signal(signal.SIGXFSZ, signal.{action})  # Python itself ignores it
with Log(sys.argv[1], fsync=EACH) as log:
    resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))
    for k in range(100):
        try:
            log.append(k, ("192.168.1.10", 4000), bytes([k]) * 70)
        except OSError:
            break
        print(k, flush=True)
"""


def appended(folder: Path, action: str) -> tuple[int, int]:
    """Run a writer that the kernel stops in the middle of a record: its exit code, and the number of appends that
    returned."""
    command = [sys.executable, "-c", CHILD.format(action=action), str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    return done.returncode, len(done.stdout.split())


def test_a_writer_killed_in_the_middle_of_a_write(tmp_path):
    code, returned = appended(tmp_path, "SIG_DFL")
    assert code == -signal.SIGXFSZ
    assert path_of(tmp_path, 1).stat().st_size == 5000
    assert [datagram.arrival for datagram in found(tmp_path)] == list(range(returned))
    assert written(tmp_path, drawn(3)) == (5000 - SEGMENT.size) % (24 + 70) > 0
    assert [datagram.arrival for datagram in found(tmp_path)] == [*range(returned), 0, 1, 2]


def test_a_disk_that_is_full(tmp_path):
    """An append that fails leaves no trace."""
    code, returned = appended(tmp_path, "SIG_IGN")
    assert code == 0
    assert [datagram.arrival for datagram in found(tmp_path)] == list(range(returned))
    assert written(tmp_path, []) == 0


def test_one_writer_at_a_time(tmp_path):
    with Log(tmp_path) as log, pytest.raises(LogError, match="another writer"):
        assert log.append(1, SOURCE, b"a") == Position(1, 16)
        Log(tmp_path)
    with Log(tmp_path) as log:
        assert log.append(2, SOURCE, b"b") == Position(2, 16)
        assert found(tmp_path)[-1].payload == b"b"  # read while it is written
    with pytest.raises(LogError, match="at most 65507"):
        written(tmp_path, [Datagram(0, SOURCE, bytes(65508))])


def test_policies():
    assert [policy(text) for text in ("each", "never", "100")] == [EACH, NEVER, 0.1]
    for text in ("0", "often", "-1"):
        with pytest.raises(LogError, match="each, never, or milliseconds"):
            policy(text)
