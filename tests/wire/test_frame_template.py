"""Frames that are alike but for a text are told as the decoder would tell them, or not at all."""

from collections.abc import Sequence

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.wire.frame_template import Template, Told


class Frame(msgspec.Struct, forbid_unknown_fields=True):
    """What the frames of these tests may say."""

    text: str
    n: int = 0
    name: str = ""
    obfuscation: str | None = None


def read(frame: bytes) -> Told | None:
    """The decoder that has the last word."""
    try:
        told = msgspec.json.decode(frame[6:], type=Frame)
    except (ValueError, RecursionError):
        return None
    return told.text, told.obfuscation


def framed(text: str, end: str = "\n\n") -> bytes:
    """A frame as most servers write it."""
    return b'data: {"n": 7, "text": %b}%b' % (msgspec.json.encode(text), end.encode())


def padded(text: str, padding: str) -> bytes:
    """A frame as OpenAI writes it."""
    string = msgspec.json.encode(text)
    return b'data: {"text":%b,"obfuscation":"%b"}\n\n' % (string, padding.encode())


def learned(frame: bytes) -> Template:
    """A template that has learned from a frame."""
    template = Template()
    told = read(frame)
    assert told is not None
    assert template.learn(frame, told, read)
    return template


TEXTS = ["more", "é", "日本", "😀", "\n", 'a "quoted" word', "back\\slash", "\\", '"', "\x7f\u2028"]


@pytest.mark.parametrize("text", TEXTS)
def test_a_frame_that_is_alike_is_told_alone(text: str) -> None:
    """Whatever the text is, and however it is escaped."""
    assert text == learned(framed("first")).one(framed(text))


@pytest.mark.parametrize("end", ["\n\n", "\r\n\r\n"])
@pytest.mark.parametrize("texts", [["one"], ["one", "two"], TEXTS, TEXTS * 20])
def test_frames_that_are_alike_are_told_together(texts: list[str], end: str) -> None:
    """Those that a run begins with; the rest is left."""
    rest = b'data: {"n": 8}' + end.encode()
    run = b"".join(framed(text, end) for text in texts)
    template = learned(framed("first", end))
    assert (texts, len(run)) == template.many(run)
    assert (texts, len(run)) == template.many(run + rest)
    assert (texts, len(run)) == template.many(run + rest + rest)


@pytest.mark.parametrize("padding", ["a", "Zz09", "x" * 40])
def test_padding_is_passed_over(padding: str) -> None:
    """Its length differs from frame to frame."""
    assert "more" == learned(padded("first", "abc")).one(padded("more", padding))


@pytest.mark.parametrize(
    "frame",
    [
        framed("more").replace(b"7", b"8"),
        framed("more") + framed("more"),
        framed("more").replace(b"more", b"mo\nre"),
        framed("more").replace(b"more", b"\xff"),
        framed("more").replace(b"more", rb"\ud800"),
        framed("more").replace(b"more", rb"\x"),
        framed("more").replace(b"more", b'a","n":"b'),
        framed("more").replace(b"more", b"more\\"),
        framed("more").replace(b'"more"', b'"'),
        framed(""),
        framed("more")[:-1],
        b": comment\n\n",
    ],
)
def test_what_does_not_fit_is_left_to_the_decoder(frame: bytes) -> None:
    """Another value, another frame behind it, no string, an empty one."""
    template = learned(framed("first"))
    assert not template.one(frame)
    assert not template.one(b"")
    if frame != framed("more") * 2:
        assert ([], 0) == template.many(frame)
        assert ([], 0) == template.many(framed("a") + frame + framed("b"))


@pytest.mark.parametrize("padding", ["", "a-b", 'a","text":"b', "\\u0061"])
def test_padding_of_another_kind_is_left_to_the_decoder(padding: str) -> None:
    """What is passed over must say nothing."""
    assert not learned(padded("first", "abc")).one(padded("more", padding))


def test_what_stands_between_may_not_be_part_of_the_end() -> None:
    """The quote that begins the padding is the one that ends the frame."""
    frame = padded("more", "a").replace(b'"a"', b'"')
    assert not learned(padded("first", "abc")).one(frame)


def test_a_run_is_told_up_to_a_row_that_is_too_short() -> None:
    """A row of fewer bytes than what repeats."""
    run = framed("a") + b'data: {"n": 7}\n\n' + framed("b")
    assert ([], 0) == learned(framed("first")).many(run)


@pytest.mark.parametrize(
    "frame",
    [
        rb'data: {"text": "\u0061"}' + b"\n\n",
        b'data: {"n": 7, "name": "a", "text": "a"}\n\n',
        rb'data: {"name": "a", "text": "\u0061"}' + b"\n\n",
        b'data: {"text": "a", "text": "a"}\n\n',
    ],
)
def test_nothing_is_learned_where_the_place_of_the_text_is_not_sure(frame: bytes) -> None:
    """Spelled otherwise, or said in two places: the decoder is asked whether the place is right."""
    template = Template()
    assert not template.learn(frame, ("a", None), read)
    assert not template.one(frame)
    assert ([], 0) == template.many(frame)


def test_what_was_learned_is_forgotten_when_the_next_lesson_fails() -> None:
    """The frames of another part are not taken for those of the first one."""
    template = learned(framed("first"))
    template.learn(b'data: {"text": "\\u0061"}\n\n', ("a", None), read)
    assert not template.one(framed("more"))


def test_learning_ends_where_nothing_comes_of_it() -> None:
    """A stream of which every frame is another costs a few lessons and no more."""
    template = Template()
    lessons = 0
    while template.wanted:
        template.learn(framed("a").replace(b"7", b"%d" % lessons), ("a", None), read)
        lessons += 1
    assert 4 == lessons


def test_what_fits_gives_courage() -> None:
    """A stream that changes now and then is learned anew each time."""
    template = Template()
    for number in range(20):
        assert template.wanted
        template.learn(framed("a").replace(b"7", b"%d" % number), ("a", None), read)
        assert template.one(framed("b").replace(b"7", b"%d" % number))


@given(
    st.lists(st.text(min_size=1), min_size=1, max_size=5),
    st.integers(min_value=0),
    st.binary(max_size=6),
)
def test_no_bytes_are_told_otherwise_than_by_the_decoder(
    texts: Sequence[str], at: int, instead: bytes
) -> None:
    """Frames that are damaged anywhere."""
    template = learned(framed("first"))
    run = b"".join(framed(text) for text in texts)
    at %= len(run)
    run = run[:at] + instead + run[at + len(instead) :]
    found, end = template.many(run)
    blocks = run[:end].split(b"\n\n")[:-1]
    decoded = [told[0] for block in blocks if (told := read(block)) is not None]
    assert decoded == found
    assert len(blocks) == len(found)
    one = template.one(run)
    assert not one or (one, None) == read(run)
