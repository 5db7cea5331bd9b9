"""Files named by URL, for targets that take bytes."""

import pytest

from trivium.conversation.calls import ToolResult
from trivium.conversation.inline_files import inlined, kinds_of, mime_of, wanted
from trivium.conversation.items import Role, Turn
from trivium.conversation.opaque import StateOrigin
from trivium.conversation.parts import Audio, Document, Image, Inline, Pieces, Remote, Text, Video
from trivium.conversation.request import Conversation
from trivium.conversation.target import Input, target

PNG = b"\x89PNG\r\n\x1a\n"


def said(*parts, shape="chat"):
    return Conversation(shape=shape, model="m", turns=(Turn(Role.USER, parts),))


def aim(shape, **facts):
    return target(StateOrigin(shape, "vendor", "account"), "m", **facts)


def image(url="https://a.example/1.png"):
    return Image(source=Remote(url))


def document(url="https://a.example/1.pdf"):
    return Document(source=Remote(url))


@pytest.mark.parametrize(
    ("part", "shape", "needed"),
    [
        (image(), "generate", True),
        (image(), "messages", False),
        (image(), "responses", False),
        (document(), "generate", True),
        (document(), "messages", False),
        (Audio(source=Remote("https://a.example/1.wav")), "generate", True),
        (Video(source=Remote("https://a.example/1.mp4")), "generate", True),
        (Video(source=Remote("https://youtu.be/x")), "generate", False),
        (Video(source=Remote("https://a.example/1.mp4")), "messages", False),
        (Image(source=Inline("image/png", "AAAA")), "generate", False),
        (Audio(source=None), "generate", False),
        (ToolResult(call_id="c", parts=(image(),)), "generate", True),
        (Document(source=Pieces((Text("a"), image()))), "generate", True),
        (Text("https://a.example/1.png"), "generate", False),
    ],
)
def test_what_a_target_takes_as_bytes_only_is_wanted(part, shape, needed):
    """Nothing else is: what it takes by URL, what it takes in no form, what is no file."""
    assert needed is bool(wanted(said(part), aim(shape)))


def test_the_same_shape_passes_its_own_urls_on():
    """The vendor may know what to do with them."""
    assert () == wanted(said(image(), shape="generate"), aim("generate"))


def test_a_model_that_takes_urls_gets_them():
    """By its profile."""
    facts = aim("generate", inputs=frozenset({Input.IMAGE, Input.IMAGE_URL}))
    assert () == wanted(said(image()), facts)


def test_each_url_is_wanted_once_in_order():
    """However often it is named."""
    parts = (
        image("https://a.example/2"),
        image("https://a.example/1"),
        image("https://a.example/2"),
    )
    assert ("https://a.example/2", "https://a.example/1") == wanted(said(*parts), aim("generate"))


def test_bytes_take_the_place_of_their_url_everywhere():
    """In turns, in results, in documents in pieces; all else stays the same."""
    url = "https://a.example/1.png"
    kept = Text("as it was")
    before = said(
        kept,
        image(url),
        ToolResult(call_id="c", parts=(image(url), kept)),
        Document(source=Pieces((image(url),))),
        image("https://a.example/other"),
    )
    found = Inline("image/png", "AAAA")
    after = inlined(before, {url: found}).turns[0].parts
    assert kept is after[0]
    assert [found, found, found] == [
        after[1].source,
        after[2].parts[0].source,
        after[3].source.parts[0].source,
    ]
    assert Remote("https://a.example/other") == after[4].source


def test_a_history_that_grows_keeps_its_beginning():
    """Turn by turn: what stands earlier comes out the same."""
    first = said(image())
    second = Conversation(
        shape="chat", model="m", turns=(*first.turns, Turn(Role.USER, (image("u"),)))
    )
    files = {
        "https://a.example/1.png": Inline("image/png", "AAAA"),
        "u": Inline("image/png", "BBBB"),
    }
    assert inlined(first, files).turns == inlined(second, files).turns[:1]


@pytest.mark.parametrize(
    ("url", "told", "body", "mime"),
    [
        ("https://a.example/x.gif", "image/png", b"GIF89a", "image/png"),
        ("https://a.example/x", "application/octet-stream", PNG, "image/png"),
        ("https://a.example/x", "", b"GIF89a", "image/gif"),
        ("https://a.example/x", "", b"\xff\xd8\xff\xe0", "image/jpeg"),
        ("https://a.example/x", "", b"%PDF-1.7", "application/pdf"),
        (
            "https://a.example/x",
            "",
            b"RIFF\0\0\0\0WEBPVP8X" + bytes(8) + b"\1\0\0\1\0\0",
            "image/webp",
        ),
        ("https://a.example/x.mp3?y=.png", "", b"?", "audio/mpeg"),
        ("https://a.example/x", "", b"?", ""),
    ],
)
def test_a_file_says_what_it_is(url, told, body, mime):
    """Its server's word first, then its own bytes, then its name."""
    assert mime == mime_of(url, told, body)


def test_a_part_says_what_its_file_must_be():
    """A picture must be one; a document may be anything."""
    spoken = said(image("a"), document("b"))
    assert {"a": "image/", "b": ""} == kinds_of(spoken)
