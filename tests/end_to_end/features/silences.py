"""Signs of life in a silence, which change nothing of an answer."""

from end_to_end.features import streams, telling
from end_to_end.features.canonical import differences, of_answer
from end_to_end.features.verdicts import (
    LOSSLESS,
    LOST,
    Cell,
    heard,
    reading,
    writing,
)
from trivium.wire.codecs import CODECS
from trivium.wire.event_stream import event
from trivium.wire.operation import Shape

SILENCE = {
    "chat": b": keep-alive\n\n",
    "responses": b": keep-alive\n\n",
    "messages": b'event: ping\ndata: {"type":"ping"}\n\n',
    "generate": b": keep-alive\n\n",
    "converse": event("keepAlive", b"{}"),
    "cohere": b": keep-alive\n\n",
}


def heartbeats(upstream, caller):
    """A sign of life changes nothing of the answer, wherever it comes; ours are skipped."""
    body = telling.TELLINGS[0].bodies[upstream]
    told = streams.frames(upstream, body)
    quiet = of_answer(heard(upstream, b"".join(told)).answer())
    wire = SILENCE[upstream].join([b"", *told])
    if of_answer(heard(upstream, wire).answer()) != quiet:
        return Cell(LOST, "the answer, to a sign of life")
    reader = CODECS[Shape(upstream)].read_stream(reading(upstream))
    writer = CODECS[Shape(caller)].write_stream(writing(caller))
    out = []
    for frame in told:
        out.append(writer.feed(reader.feed(frame)))
        if out[-1] and frame is not told[-1]:
            out.append(writer.heartbeat())
    out.append(writer.feed(reader.end(None)) + writer.end(None))
    found = differences(
        quiet["candidates"], of_answer(heard(caller, b"".join(out)).answer())["candidates"]
    )
    return Cell(LOST, "; ".join(found)) if found else Cell(LOSSLESS)
