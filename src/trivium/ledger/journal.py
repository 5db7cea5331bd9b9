"""The worker's own file of money in flight: what is in it survives the worker.

A line is one record: a checksum and a JSON list. Each is one ``write`` of its own, to a file opened
for appending, so it is in the kernel's hands when the call returns and a killed process loses
nothing. A line that was torn, by a full disk or a loss of power, fails its checksum and is passed
over; the next record after a failed write begins on a new line.

Whoever has several requests in hand at once may have their records gathered: then one ``write``
takes all of them at ``flush``, and nothing may leave the process before that which is not to leave
it before its record.

A file is locked while its worker lives: whoever can lock it knows that the worker is dead. Files
are named ``WORKER-NUMBER.journal``; a worker goes on to the next number when one has grown, taking
its open holds along. The last finished file is kept until the one after it is finished too: SQLite
brings a commit to the disk with its next checkpoint, which the traffic of a file is sure to cause.
"""

import contextlib
import fcntl
import os
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Final
from zlib import crc32

import msgspec

from trivium.ledger.errors import TornError, UnwrittenError
from trivium.ledger.model import Contents, Hold, OpenHold, RequestId, Settlement
from trivium.wire.attribution import NOBODY

SUFFIX: Final = ".journal"
NEW: Final = ".new"
"""Suffix of a file that nobody has written to yet."""
SEGMENT_BYTES: Final = 8 * 1024 * 1024
"""A file this large is finished at the next flush: some fifteen thousand requests."""

_PROBE: Final = bytes(16_384)
"""More than the records of one request, and than the rest of a block that still has room."""
_HEAD_BYTES: Final = 9
"""A line's checksum and the blank after it."""

_KINDS: Final[dict[str, type[OpenHold | Settlement]]] = {"h": OpenHold, "s": Settlement}
_WHO: Final = "who"
"""The member of a record's detail that says for whom it was."""
_encode: Final = msgspec.json.Encoder().encode
_decode: Final = msgspec.json.Decoder().decode
_Raw: Final = msgspec.Raw


def line(payload: bytes) -> bytes:
    """A record as the file has it."""
    return b"%08x %b\n" % (crc32(payload), payload)


def read(files: Iterable[bytes]) -> Contents:
    """The contents of a worker's files, in the order of their numbers.

    A settlement or a release ends a hold wherever it stands: files overlap in open holds.
    """
    found = Contents()
    ended: set[str] = set()
    for data in files:
        lines = data.split(b"\n")
        for number, text in enumerate(lines):
            if not text:
                continue
            record = _checked(text)
            if record is None:
                # without a newline after it: the write that the worker died in
                if number < len(lines) - 1:
                    found.damaged.append(text)
            elif isinstance(record, OpenHold):
                found.holds[record.request_id] = record
            elif isinstance(record, Settlement):
                found.settlements.setdefault(record.request_id, record)
            else:
                ended.add(record)
    for request_id in (*ended, *found.settlements):
        found.holds.pop(request_id, None)
    return found


def _checked(text: bytes) -> OpenHold | Settlement | str | None:
    """One line's record, a released request's id, or ``None`` for what is no whole record."""
    if len(text) <= _HEAD_BYTES or text[8:_HEAD_BYTES] != b" ":
        return None
    try:
        if int(text[:8], 16) != crc32(text[_HEAD_BYTES:]):
            return None
        kind, *values = _decode(text[_HEAD_BYTES:])
        if kind == "r":
            (request_id,) = values
            return msgspec.convert(request_id, RequestId)
        if kind not in _KINDS or not isinstance(values[-1], dict):
            return None
        who = values[-1].pop(_WHO, ())  # no entry is to have it
        detail = _encode(values[-1]).decode()
        record = _KINDS[kind]
        # what has more values than these was not written by this version; the counters are in the
        # detail
        whole = len(values) == len(record.__struct_fields__) - 2 and "\\u0000" not in detail
        counters = values[-1].get("budgets", ())
        return msgspec.convert([*values[:-1], detail, counters, who], record) if whole else None
    except Exception:  # noqa: BLE001 - whatever is wrong with one line, the others are booked
        return None


def _held(hold: Hold, interrupted_nanos: int, at: int) -> bytes:
    tariff = hold.quote.tariff
    assert tariff is not None
    detail: dict[str, object] = {
        "model": tariff.model,
        "key": hold.key_id,
        "end": "interrupted",
    }
    if hold.team_id:
        detail["user"] = hold.asker_id
        detail["team"] = hold.team_id
    if hold.counted.counters:
        detail["budgets"] = _Raw(hold.counted.text)
    if hold.who is not NOBODY:
        detail[_WHO] = hold.who
    return _encode(("h", hold.request_id, hold.user_id, interrupted_nanos, at, detail))


def _with_who(settled: Settlement) -> str:
    """The detail, and for whom it was, which is in the journal's alone."""
    return f'{settled.detail.removesuffix("}")},"{_WHO}":{_encode(settled.who).decode()}}}'


class JournalFile:
    """One file, open and locked."""

    __slots__ = ("_fd", "_is_torn", "_synced", "path", "size")

    def __init__(self, path: Path) -> None:
        """Make a new file. Raises OSError."""
        self.path = path
        self.size = 0
        self._synced = 0
        self._is_torn = False
        # under another name until it is locked: whoever looks for the journals of dead workers in
        # between would take it for one, and this worker's lock would fail
        new = path.with_suffix(NEW)
        self._fd = os.open(
            new, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600
        )
        fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        new.rename(path)

    def write(self, data: bytes) -> None:
        """Append whole lines. Raises ``TornError``, another OSError when none of it was taken."""
        is_torn = self._is_torn
        if is_torn:
            data = b"\n" + data
        # until proven otherwise: an exception may come after some of the bytes
        self._is_torn = True
        taken = os.write(self._fd, data)
        self.size += taken
        if taken != len(data):
            raise TornError(taken - is_torn)
        self._is_torn = False

    def sync(self) -> None:
        """Bring what was written to the disk, if anything was since the last time."""
        size = self.size
        if size != self._synced:
            os.fdatasync(self._fd)
            self._synced = size

    def close(self) -> None:
        """Let go of the file, which stays. Again, nothing happens."""
        fd, self._fd = self._fd, -1  # by now another's, perhaps a connection's
        if fd >= 0:
            os.close(fd)

    def remove(self) -> None:
        """Everything in it is in the database."""
        with contextlib.suppress(FileNotFoundError):
            self.path.unlink()
        self.close()


class Journal:
    """A worker's current file and those before it that are not done with."""

    def __init__(self, folder: Path, worker: str, *, gathers: bool = False) -> None:
        """Make the first file. Raises OSError.

        ``gathers``: records wait for ``flush``, and only that tells what cannot be written.
        """
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.worker = worker
        self._folder = folder
        self._number = 0
        self._older: list[JournalFile] = []
        self.gathers = gathers
        self._gathered: list[bytes] = []
        """Records that are not written yet."""
        self._holds: dict[int, str] = {}
        """Which of them are holds, by their places, and of which requests."""
        self._segment = self._next()

    @property
    def is_full(self) -> bool:
        """Whether the current file has grown enough to be finished."""
        return self._segment.size >= SEGMENT_BYTES

    def takes(self) -> bool:
        """Whether a record could be written now: whether the disk has room, and lets us."""
        try:
            with tempfile.TemporaryFile(dir=self._folder, buffering=0) as probe:
                return probe.write(_PROBE) == len(_PROBE)
        except OSError:
            return False

    def hold(self, hold: Hold, interrupted_nanos: int, at: int) -> None:
        """Note a hold, before the request goes upstream. Raises OSError."""
        # as ``settle``, without calls of our own
        payload = _held(hold, interrupted_nanos, at)
        data = b"%08x %b\n" % (crc32(payload), payload)  # as ``line``
        if self.gathers:
            self._holds[len(self._gathered)] = hold.request_id
            self._gathered.append(data)
        else:
            self._segment.write(data)

    def settle(self, settled: Settlement) -> None:
        """Note what a request came to, before the last byte goes to the caller. Raises OSError."""
        request_id, user_id = settled.request_id, settled.user_id
        detail = _Raw(settled.detail if settled.who is NOBODY else _with_who(settled))
        payload = _encode(("s", request_id, user_id, settled.cost_nanos, settled.at, "", detail))
        data = b"%08x %b\n" % (crc32(payload), payload)
        if self.gathers:
            self._gathered.append(data)
        else:
            self._segment.write(data)

    def release(self, request_id: str) -> None:
        """Note that a request costs nothing. Raises OSError."""
        data = line(_encode(("r", request_id)))
        if self.gathers:
            self._gathered.append(data)
        else:
            self._segment.write(data)

    def flush(self) -> bool:
        """Write what was gathered; whether there was anything.

        Raises ``UnwrittenError`` with the holds that could not be noted.
        """
        gathered = self._gathered
        if not gathered:
            return False
        holds = self._holds
        try:
            self._segment.write(b"".join(gathered))
        except OSError as error:
            self._gathered, self._holds = [], {}
            left = error.taken if isinstance(error, TornError) else 0
            lost = []
            for place, data in enumerate(gathered):
                left -= len(data)
                # a last line that lacks its newline alone is whole
                if left < -1 and place in holds:
                    lost.append(holds[place])
            raise UnwrittenError(error, lost) from error
        self._gathered, self._holds = [], {}
        return True

    def carry_on(self, holds: Iterable[tuple[Hold, int, int]]) -> None:
        """Begin the next file, with the holds still open. Raises OSError."""
        segment = self._next()
        self._older.append(self._segment)
        self._segment = segment
        noted = [line(_held(*hold)) for hold in holds]
        if noted:
            segment.write(b"".join(noted))

    def done_with_older(self) -> None:
        """Everything in the files before the current one is booked: keep only the last of them."""
        while len(self._older) > 1:
            self._older.pop(0).remove()

    def sync(self) -> None:
        """Bring everything to the disk. Raises OSError."""
        for segment in (*self._older, self._segment):
            segment.sync()

    def close(self, *, keep: bool) -> None:
        """Let go of the files; ``keep`` them for whoever starts next, or remove them."""
        if keep:
            with contextlib.suppress(OSError):
                self.flush()
        for segment in (*self._older, self._segment):
            if keep:
                segment.close()
            else:
                segment.remove()
        self._older.clear()

    def _next(self) -> JournalFile:
        self._number += 1
        return JournalFile(self._folder / f"{self.worker}-{self._number:06d}{SUFFIX}")
