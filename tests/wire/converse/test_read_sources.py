"""Media and documents of Converse callers."""

import base64

import pytest

from trivium.conversation.fit import fitted
from trivium.conversation.losses import Report
from trivium.conversation.opaque import StateOrigin
from trivium.conversation.parts import Document, Image, Inline, Pieces, Stored, Text
from trivium.conversation.target import target
from trivium.faults import Fault, Kind
from trivium.wire.codecs import CODECS
from trivium.wire.converse.read_sources import stored_id, stored_place
from trivium.wire.operation import Shape

DATA = base64.b64encode(b"bytes").decode()


def document(**members):
    """A document block."""
    return {"document": {"name": "Paper", "format": "pdf", "source": {"bytes": DATA}} | members}


def test_documents_of_every_source(caller):
    """Bytes, texts, and what goes with them."""
    assert (
        Document(Inline("application/pdf", DATA), title="Paper", context="c", citable=True),
        Document(Pieces((Text("words"),)), title="Paper"),
        Document(Pieces((Text("a"), Text("b"))), title="Paper"),
    ) == caller.said(
        {"text": "Read"},
        document(context="c", citations={"enabled": True}),
        document(source={"text": "words"}, format="txt"),
        document(source={"content": [{"text": "a"}, {"text": "b"}]}, format="txt"),
    )[1:]


def test_a_place_in_s3_is_the_vendors_own(caller):
    """It keeps whose bucket it is."""
    place = {"uri": "s3://bucket/key.png", "bucketOwner": "123456789012"}
    (found,) = caller.said({"image": {"format": "png", "source": {"s3Location": place}}})
    assert isinstance(found, Image)
    assert isinstance(found.source, Stored)
    assert ("converse", "image/png") == (found.source.shape, found.source.mime)
    assert place == stored_place(found.source.id)
    assert {"uri": "s3://b/k"} == stored_place(stored_id("s3://b/k", None))


@pytest.mark.parametrize("upstream", ["chat", "responses", "messages", "generate"])
def test_and_nobody_elses(caller, upstream):
    """Others refuse it by name."""
    place = {"uri": "s3://bucket/key.png"}
    block = {"image": {"format": "png", "source": {"s3Location": place}}}
    spoken = caller.read({"messages": [{"role": "user", "content": [{"text": "a"}, block]}]})
    goal = target(StateOrigin(upstream, "p", "main"), "m")
    report = Report(goal.title)
    with pytest.raises(Fault) as caught:
        CODECS[Shape(upstream)].write_request(fitted(spoken, goal, report), goal, report)
    assert Kind.UNREPRESENTABLE is caught.value.kind
    assert "s3Location" in (caught.value.param or "")


IMAGE = "messages.0.content.0.image"
BAD = [
    ({"image": {"source": {"bytes": DATA}}}, f"{IMAGE}.format"),
    ({"image": {"format": "bmp", "source": {"bytes": DATA}}}, f"{IMAGE}.format"),
    ({"image": {"format": "png"}}, f"{IMAGE}.source"),
    ({"image": {"format": "png", "source": {}}}, f"{IMAGE}.source"),
    ({"image": {"format": "png", "source": {"bytes": ""}}}, f"{IMAGE}.source.bytes"),
    ({"image": {"format": "png", "source": {"bytes": "_-"}}}, f"{IMAGE}.source.bytes"),
    ({"image": {"format": "png", "source": {"bytes": "*"}}}, f"{IMAGE}.source.bytes"),
    ({"image": {"format": "png", "source": {"url": "x"}}}, f"{IMAGE}.source.url"),
    ({"image": {"format": "png", "source": {"s3Location": {}}}}, f"{IMAGE}.source.s3Location.uri"),
    (
        {"image": {"format": "png", "source": {"s3Location": {"uri": "http://a"}}}},
        f"{IMAGE}.source.s3Location.uri",
    ),
    (document(name=None), "messages.0.content.0.document.name"),
    (document(name="a" * 201), "messages.0.content.0.document.name"),
    (document(format="odd"), "messages.0.content.0.document.format"),
    (document(format=None), "messages.0.content.0.document.format"),
    (
        document(source={"content": [{}]}),
        "messages.0.content.0.document.source.content.0.text",
    ),
    (
        {"searchResult": {"source": "a", "title": "b", "content": [{}]}},
        "messages.0.content.0.searchResult.content.0.text",
    ),
    (
        {"searchResult": {"title": "b", "content": []}},
        "messages.0.content.0.searchResult.source",
    ),
]


@pytest.mark.parametrize(("block", "place"), BAD)
def test_a_mistake_is_named(caller, block, place):
    """With the whole path of the member."""
    fault = caller.refused({"messages": [{"role": "user", "content": [block]}]})
    assert place == fault.param
    assert fault.message.startswith(f"{place}: ")
