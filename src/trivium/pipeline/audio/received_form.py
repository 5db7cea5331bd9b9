"""A form that has come in: whole, read as members, its recording measured."""

from trivium.pipeline.request_context import RequestContext
from trivium.uploads.form import Upload
from trivium.wire.audio.length.measure import assumed, measure
from trivium.wire.form import FormMembers
from trivium.wire.multipart import Part
from trivium.wire.operation import Operation

_MEASURED = frozenset({Operation.TRANSCRIPTIONS, Operation.TRANSLATIONS})


async def received(context: RequestContext, upload: Upload) -> FormMembers:
    """The members of the form. Raises ``Fault`` when its files could not be kept."""
    await upload.ready()
    members = FormMembers(upload.parts)
    if context.operation in _MEASURED and len(found := members.files("file")) == 1:
        members.length = await _length(upload, found[0])
    return members


async def _length(upload: Upload, part: Part) -> tuple[float, bool]:
    """Seconds of a recording, and whether that is only an estimate by its size."""
    measuring = measure(part.size)
    try:
        start, size = next(measuring)
        while True:
            start, size = measuring.send(await upload.read(part, start, size))
    except StopIteration as done:
        seconds: float | None = done.value
    return (assumed(part.size), True) if seconds is None else (seconds, False)
