"""A whole form: its files can be read until somebody lets them go."""

import os

import pytest

from trivium.faults import Fault
from trivium.uploads.form import OutgoingForm, Upload
from trivium.uploads.spool import BLOCK_BYTES, Room, Spool
from trivium.wire.multipart import FormReader, Part


@pytest.mark.asyncio
async def test_a_file_is_read_within_its_own_bounds():
    """Never a byte of the file before or behind it."""
    spool = Spool(Room())
    spool.write(b"onetwothree")
    parts = (
        Part(name="a", filename="a", start=0, size=3),
        Part(name="b", filename="b", start=3, size=3),
    )
    upload = Upload(parts, spool, 99)
    await upload.ready()
    assert b"two" == await upload.read(parts[1], 0, 100)
    assert b"wo" == await upload.read(parts[1], 1, 2)
    assert b"" == await upload.read(parts[1], 3, 2)
    assert 99 == upload.size
    upload.close()
    upload.close()
    with pytest.raises(Fault):
        await upload.read(parts[0], 0, 1)


@pytest.mark.asyncio
async def test_a_form_can_be_sent_twice_and_reads_as_it_came(tmp_path):
    """Field, file, field: whatever is behind the file comes behind it."""
    spool = Spool(Room(str(tmp_path), memory_bytes=10))
    data = os.urandom(2 * BLOCK_BYTES + 5)
    spool.write(data)
    parts = [
        Part(name="model", value=b"m"),
        Part(name="file", filename="a.wav", start=0, size=len(data)),
        Part(name="prompt", value=b"p"),
    ]
    upload = Upload(parts, spool, 0)
    await upload.ready()
    form = OutgoingForm(upload, parts, b"xyz")
    for _ in range(2):
        sent = [piece async for piece in form.pieces()]
        assert form.size == sum(map(len, sent))
        assert max(map(len, sent)) <= BLOCK_BYTES
        files: list[bytes] = []
        reader = FormReader(b"xyz", files.append)
        reader.feed(b"".join(sent))
        assert ["model", "file", "prompt"] == [part.name for part in reader.finish()]
        assert data == b"".join(files)
    assert b"multipart/form-data; boundary=xyz" == form.content_type
    upload.close()


@pytest.mark.asyncio
async def test_a_file_that_has_become_shorter_makes_a_form_that_is_too_short():
    """So that whoever counts does not send a request that never ends."""
    spool = Spool(Room())
    spool.write(b"123")
    part = Part(name="file", filename="a", start=0, size=9)
    form = OutgoingForm(Upload([part], spool, 0), [part], b"xyz")
    sent = b"".join([piece async for piece in form.pieces()])
    assert len(sent) < form.size
    spool.close()
