"""A whole form: its files can be read until somebody lets them go."""

import pytest

from trivium.faults import Fault
from trivium.uploads.form import Upload
from trivium.uploads.spool import Room, Spool
from trivium.wire.multipart import Part


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
