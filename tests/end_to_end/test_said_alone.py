"""What only one shape can say: sniffed, refused by name or told, wherever it goes."""

import pytest

from end_to_end.features.asking import PNG, SHAPES
from end_to_end.features.verdicts import conversation, written
from trivium.faults import Fault, Kind

OTHERS = [(one, other) for one in SHAPES for other in SHAPES if one != other]
FORMATS = {"image/jpeg": "jpeg"}
SVG = "PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciLz4="


def shown(shape, mime, data):
    """A request with a picture, as its caller calls it."""
    url = f"data:{mime};base64,{data}"
    part = {
        "chat": {"type": "image_url", "image_url": {"url": url}},
        "responses": {"type": "input_image", "image_url": url},
        "messages": {
            "type": "image",
            "source": {"type": "base64", "media_type": mime, "data": data},
        },
        "generate": {"inlineData": {"mimeType": mime, "data": data}},
        "converse": {"image": {"format": FORMATS.get(mime, mime), "source": {"bytes": data}}},
        "cohere": {"type": "image_url", "image_url": {"url": url}},
    }[shape]
    return asked(shape, part)


def asked(shape, part):
    """A request whose user says this."""
    if shape == "generate":
        return {"contents": [{"role": "user", "parts": [part]}]}
    turn = {"role": "user", "content": [part]}
    if shape == "converse":
        return {"messages": [turn]}
    if shape == "responses":
        return {"model": "m", "input": [turn]}
    return {"model": "m", "messages": [turn]} | ({"max_tokens": 64} if shape == "messages" else {})


@pytest.mark.parametrize(("caller", "upstream"), OTHERS)
def test_a_picture_goes_out_as_what_it_is(caller, upstream):
    """Whatever its sender calls it."""
    data, _ = written(conversation(caller, shown(caller, "image/jpeg", PNG)), upstream)
    right, wrong = ("png", "jpeg") if upstream == "converse" else ("image/png", "image/jpeg")
    assert right in str(data)
    assert wrong not in str(data)


@pytest.mark.parametrize(("caller", "upstream"), OTHERS)
def test_a_drawing_of_lines_is_let_out_to_nobody(caller, upstream):
    """It is refused by name: the model would not see it."""
    if caller in ("messages", "converse"):
        pytest.skip("the shape itself takes none")
    spoken = conversation(caller, shown(caller, "image/svg+xml", SVG))
    with pytest.raises(Fault) as caught:
        written(spoken, upstream)
    assert (Kind.UNREPRESENTABLE, True) == (caught.value.kind, bool(caught.value.param))


@pytest.mark.parametrize(("caller", "upstream"), OTHERS)
def test_what_nobody_knows_in_a_users_words_is_refused(caller, upstream):
    """By name; the caller counts on the model reading it."""
    bare = caller in ("generate", "converse")
    part = {"hologram": {"depth": 3}} if bare else {"type": "hologram", "depth": 3}
    with pytest.raises(Fault) as caught:
        written(conversation(caller, asked(caller, part)), upstream)
    assert caught.value.kind in (Kind.UNREPRESENTABLE, Kind.INVALID_VALUE)
    assert caught.value.param


def test_neither_is_it_taken_in_a_tools_result():
    """Which is the caller's word as well; references to tools are known."""
    call = {"type": "tool_use", "id": "t", "name": "f", "input": {}}
    for block, taken in (
        ({"type": "hologram"}, False),
        ({"type": "tool_reference", "tool_name": "f"}, True),
    ):
        result = {"type": "tool_result", "tool_use_id": "t", "content": [block]}
        turns = [
            {"role": "user", "content": "Hi"},
            {"role": "assistant", "content": [call]},
            {"role": "user", "content": [result]},
        ]
        spoken = conversation("messages", {"model": "m", "max_tokens": 9, "messages": turns})
        if taken:
            written(spoken, "chat")
        else:
            with pytest.raises(Fault, match="hologram"):
                written(spoken, "chat")
