"""A completions stream for the caller."""

import msgspec
import pytest

from trivium.conversation.events import (
    Delta,
    Done,
    Failed,
    Finished,
    KeepAlive,
    PartEnd,
    PartStart,
    Start,
    UsageReport,
)
from trivium.conversation.finish import Finish, Unified
from trivium.conversation.items import Role, Turn
from trivium.conversation.parts import Reasoning, Text, TokenLogprob
from trivium.conversation.request import Conversation
from trivium.conversation.usage import Usage
from trivium.faults import Fault, Kind
from trivium.wire.codec import WriteContext
from trivium.wire.completions.write_stream import Writer

ASKED = Conversation(shape="completions", model="m", turns=(Turn(Role.USER, (Text(text="Once"),)),))
TOLD = [
    Start(id="x"),
    PartStart(0, Reasoning(text="")),
    Delta(0, "hm"),
    PartEnd(0),
    PartStart(1, Text(text="")),
    Delta(1, " upon"),
    KeepAlive(),
    Delta(1, " a time"),
    PartEnd(1),
    Finished(Finish(Unified.STOP)),
    UsageReport(Usage(fresh=3, output=4)),
    Done(),
]


def _writer(*, usage=False, **members):
    return Writer(
        WriteContext(
            request=ASKED,
            members={name: msgspec.Raw(raw) for name, raw in members.items()},
            id="7",
            created=5,
            model="m",
            request_id="req_7",
            usage_wanted=usage,
        )
    )


def _frames(data):
    blocks = data.split(b"\n\n")
    assert b"" == blocks.pop()
    return [
        block[6:].decode() if block == b"data: [DONE]" else msgspec.json.decode(block[6:])
        for block in blocks
    ]


@pytest.mark.parametrize("at_once", [True, False])
def test_texts_become_frames_of_whole_objects(at_once):
    """However many events come together; thinking has no place."""
    writer = _writer()
    pieces = [TOLD] if at_once else [[event] for event in TOLD]

    *frames, last = _frames(b"".join(writer.feed(piece) for piece in pieces))

    assert "[DONE]" == last
    assert [(" upon", None), (" a time", None), ("", "stop")] == [
        (frame["choices"][0]["text"], frame["choices"][0]["finish_reason"]) for frame in frames
    ]
    assert {("cmpl-7", "text_completion", 5, "m")} == {
        (frame["id"], frame["object"], frame["created"], frame["model"]) for frame in frames
    }
    assert all("usage" not in frame for frame in frames)
    assert b"" == writer.end(None)


def test_usage_comes_last_where_it_was_asked_for():
    """In a frame without choices; null in all the others."""
    *frames, counted, _ = _frames(_writer(usage=True).feed(TOLD))

    assert {None} == {frame["usage"] for frame in frames}
    assert ([], 3, 4) == (
        counted["choices"],
        counted["usage"]["prompt_tokens"],
        counted["usage"]["completion_tokens"],
    )


def test_an_echo_is_each_choice_s_first_frame():
    """Even of one that says nothing."""
    events = [
        Start(),
        PartStart(0, Text(text="")),
        Delta(0, " upon"),
        PartEnd(0),
        Finished(Finish(Unified.STOP)),
        Finished(Finish(Unified.LENGTH), 1),
        Done(),
    ]

    *frames, _ = _frames(_writer(echo=b"true").feed(events))

    assert [(0, "Once"), (0, " upon"), (0, ""), (1, "Once"), (1, "")] == [
        (frame["choices"][0]["index"], frame["choices"][0]["text"]) for frame in frames
    ]


def test_probabilities_come_with_their_piece():
    """Offsets go on from what was said before."""
    events = [
        Start(),
        PartStart(0, Text(text="")),
        Delta(0, "ab", (TokenLogprob("ab", -1.0),)),
        Delta(0, "c", (TokenLogprob("c", -2.0),)),
    ]

    frames = _frames(_writer().feed(events))

    assert [[0], [2]] == [frame["choices"][0]["logprobs"]["text_offset"] for frame in frames]


@pytest.mark.parametrize("told", [True, False])
def test_a_broken_answer_ends_with_the_error(told):
    """Once, whether an event says so or the connection."""
    fault = Fault(Kind.UPSTREAM_BROKE, "It broke.")
    writer = _writer()
    out = writer.feed(TOLD[:6] + ([Failed(fault)] if told else []))

    out += writer.end(fault)

    *_, error = _frames(out)
    assert "It broke." == error["error"]["message"]
    assert b"[DONE]" not in out
    assert 1 == out.count(b'"request_id"')


def test_a_silence_is_filled_with_a_comment():
    """Every client skips it."""
    assert _writer().heartbeat().startswith(b":")
