"""Every recorded stream of every vendor, told to callers of every shape.

However its bytes were cut, the caller gets one legal stream with the same words, calls and reason.
"""

import itertools
import json

import pytest

from end_to_end.features import legal
from end_to_end.features.asking import SHAPES
from end_to_end.features.canonical import of_answer
from end_to_end.features.streams import stream
from end_to_end.features.telling import TELLINGS
from end_to_end.features.verdicts import excused, heard, reading, retold, writing
from end_to_end.sdk.vendor import FIXTURES
from trivium.wire.codecs import CODECS
from trivium.wire.event_stream import event, exception
from trivium.wire.operation import Shape

WIRES = [
    (shape, path)
    for shape in SHAPES
    for folder in (FIXTURES / shape, FIXTURES / shape / "translate")
    for path in sorted(folder.glob("*.sse"))
] + [("converse", path) for path in sorted((FIXTURES / "converse" / "streams").glob("*.jsonl"))]


def wire_of(path):
    """The bytes of a stream; of Converse a line is one event, whose frame is made here."""
    if path.suffix != ".jsonl":
        return path.read_bytes()
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return b"".join(
        (exception if name.endswith("Exception") else event)(name, json.dumps(said).encode())
        for name, said in rows
    )


def fine(shape, path):
    """Whether this stream is an answer: it ends, and not with an error."""
    return heard(shape, wire_of(path)).fault is None


GOOD = [
    pytest.param(caller, shape, path, id=f"{shape}-{path.stem}-{path.parent.name}-to-{caller}")
    for (shape, path), caller in itertools.product(WIRES, SHAPES)
    if caller != shape and fine(shape, path)
]
BAD = [
    pytest.param(caller, shape, path, id=f"{shape}-{path.stem}-{path.parent.name}-to-{caller}")
    for (shape, path), caller in itertools.product(WIRES, SHAPES)
    if caller != shape and not fine(shape, path)
]


def told(shape, caller, pieces):
    """The caller's frames for an upstream's reads."""
    reader = CODECS[Shape(shape)].read_stream(reading(shape))
    writer = CODECS[Shape(caller)].write_stream(writing(caller))
    out = [writer.feed(reader.feed(piece)) for piece in pieces]
    return b"".join([*out, writer.feed(reader.end(None)), writer.end(None)])


def gist(answer):
    """Words and calls of the first candidate: what no shape lacks a place for."""
    parts = of_answer(answer)["candidates"][0]["parts"]
    calls = [
        (part["name"], part["arguments"])
        for part in parts
        # a call that was cut is dropped where only whole ones can be told
        if part["kind"] == "ToolCall" and "_raw" not in part["arguments"]
    ]
    words = "".join(part["text"] for part in parts if part["kind"] in ("Text", "Refusal"))
    return words, calls


@pytest.mark.parametrize(("caller", "shape", "path"), GOOD)
def test_a_recorded_answer_reaches_every_caller(caller, shape, path):
    """Whole, byte by byte, and cut at places that fall everywhere."""
    wire = wire_of(path)
    given = heard(shape, wire).answer()
    for size in (len(wire), 1, 97):
        got = told(shape, caller, (wire[at : at + size] for at in range(0, len(wire), size)))
        legal.check(caller, got)
        words, calls = gist(heard(caller, excused(caller, got)).answer())
        # calls that overlap are told as they are whole, where only whole ones can be told
        assert sorted(map(str, calls)) == sorted(map(str, gist(given)[1]))
        assert gist(given)[0] in words


@pytest.mark.parametrize(("caller", "shape", "path"), BAD)
def test_a_recorded_break_is_a_break_for_every_caller(caller, shape, path):
    """What was not whole never looks whole."""
    assert heard(caller, retold(shape, caller, wire_of(path))).fault is not None


@pytest.mark.parametrize("caller", SHAPES)
@pytest.mark.parametrize("case", TELLINGS, ids=lambda case: case.title)
def test_a_feature_is_told_in_legal_order(case, caller):
    """The streams of the table, and the doubles' own."""
    for shape, body in case.bodies.items():
        wire = stream(shape, body)
        legal.check(caller, wire if shape == caller else retold(shape, caller, wire))
