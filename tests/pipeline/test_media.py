"""The door to lanes of files: which one, and what forms may not say."""

import types

import pytest

from trivium.faults import Fault, Kind
from trivium.pipeline import media
from trivium.pipeline.attempt import Attempt
from trivium.uploads.form import Upload
from trivium.uploads.spool import Room, Spool
from trivium.wire.multipart import Part
from trivium.wire.operation import Operation


@pytest.mark.asyncio
async def test_wishes_of_the_route_are_headers_with_a_form():
    """No vendor is to see them, and a form is sent on part by part."""
    upload = Upload([Part(name="trivium", value=b"{}")], Spool(Room()), 2)
    with pytest.raises(Fault, match="say it in headers") as caught:
        await media.received(types.SimpleNamespace(operation=Operation.TRANSCRIPTIONS), upload)
    assert Kind.INVALID_VALUE is caught.value.kind


def test_the_sink_is_an_attempt_like_any_other():
    """So that whoever tries channels needs no questions."""
    assert issubclass(media.attempts(), Attempt)
