"""A form that has come in: its recording is measured where that matters."""

import types

import pytest

from trivium.pipeline.audio.received_form import received
from trivium.uploads.form import Upload
from trivium.uploads.spool import Room, Spool
from trivium.wire.multipart import Part
from trivium.wire.operation import Operation
from wire.audio.length import sounds


async def took(operation, *files, memory_bytes=1000, folder=None):
    spool = Spool(Room(folder, memory_bytes))
    parts, at = [Part(name="model", value=b"m")], 0
    for data in files:
        parts.append(Part(name="file", filename="a", start=at, size=len(data)))
        spool.write(data)
        at += len(data)
    upload = Upload(parts, spool, at)
    context = types.SimpleNamespace(operation=operation)
    try:
        return await received(context, upload)
    finally:
        upload.close()


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("data", "length"),
    [
        (sounds.wav(2), (2.0, False)),
        (b"?" * 8000, (2.0, True)),
        (sounds.opus(48_000), (1.0, False)),
    ],
)
async def test_a_recording_is_measured_or_estimated(tmp_path, data, length):
    """In memory or in a file."""
    found = await took(Operation.TRANSCRIPTIONS, data, folder=str(tmp_path))
    assert length == found.length
    assert "m" == found.string("model")


@pytest.mark.asyncio
async def test_nothing_is_measured_where_nobody_knows_what():
    """No file, several, or an operation that is not about one."""
    assert (await took(Operation.TRANSCRIPTIONS)).length is None
    assert (await took(Operation.TRANSLATIONS, b"a", b"b")).length is None
    assert (await took(Operation.VIDEOS, sounds.wav(1))).length is None
