"""Pictures, documents, films and sound as blocks; the vendor's client takes each of them."""

import pytest

from trivium.conversation.items import Role, Turn
from trivium.conversation.losses import Mend
from trivium.conversation.parts import (
    Audio,
    Document,
    Image,
    Inline,
    Native,
    Pieces,
    Remote,
    SearchResult,
    Stored,
    Text,
    Video,
)
from trivium.faults import Fault

PDF = Inline("application/pdf", "cGRm")


def rows_of(converse, *parts, **known):
    """The blocks of a user's turn of these parts and a word, and the report."""
    request = converse.request(Turn(Role.USER, (*parts, Text("Look"))))
    body, report = converse.write(request, **known)
    return body["messages"][0]["content"][:-1], report


def row_of(converse, part, **known):
    """The block of one part, with nothing to tell of it."""
    (row,), report = rows_of(converse, part, **known)
    assert ([], []) == (report.drops, report.repairs)
    return row


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        (Image(Inline("image/webp", "aW1n")), {"image": {"format": "webp", "source": {"bytes": "aW1n"}}}),
        (Image(Inline("image/jpg", "aW1n")), {"image": {"format": "jpeg", "source": {"bytes": "aW1n"}}}),
        (Image(Inline("image/jpeg", "iVBORw0KGgo=")), {"image": {"format": "png", "source": {"bytes": "iVBORw0KGgo="}}}),
        (Image(Remote("s3://bucket/k.png", "image/png")), {"image": {"format": "png", "source": {"s3Location": {"uri": "s3://bucket/k.png"}}}}),
        (Video(Inline("video/3gpp", "dg==")), {"video": {"format": "three_gp", "source": {"bytes": "dg=="}}}),
        (Audio(Inline("audio/wav", "d2F2")), {"audio": {"format": "wav", "source": {"bytes": "d2F2"}}}),
        (Document(PDF), {"document": {"format": "pdf", "name": "document", "source": {"bytes": "cGRm"}}}),
        (Document(PDF, title="Report", context="Of May", citable=True), {"document": {"format": "pdf", "name": "Report", "source": {"bytes": "cGRm"}, "context": "Of May", "citations": {"enabled": True}}}),
        (Document(Pieces((Text("a"),))), {"document": {"format": "txt", "name": "document", "source": {"text": "a"}}}),
        (Document(Pieces((Text("a"), Text("b")))), {"document": {"format": "txt", "name": "document", "source": {"content": [{"text": "a"}, {"text": "b"}]}}}),
        (Document(Inline("text/x-python; charset=utf-8", "cA==", "main")), {"document": {"format": "txt", "name": "main", "source": {"bytes": "cA=="}}}),
        (SearchResult(source="s", title="t", texts=(Text("x"),), citable=True), {"searchResult": {"source": "s", "title": "t", "content": [{"text": "x"}], "citations": {"enabled": True}}}),
    ],
)  # fmt: skip
def test_media_are_carried(converse, part, expected):
    """With the format that the bytes have, whatever its sender calls it."""
    assert expected == row_of(converse, part)


@pytest.mark.parametrize(
    ("part", "param", "words"),
    [
        (Image(Inline("image/tiff", "aW1n")), "image_url", "gif, jpeg, png, webp, and this is image/tiff"),
        (Image(Inline("image/png", "")), "image_url", "no bytes"),
        (Image(Remote("https://example.com/a.png", "image/png")), "image_url", "bytes, and addresses in S3"),
        (Image(Stored("chat", "file-1", "image/png")), "file_id", "unknown here"),
        (Video(Inline("video/x-thing", "dg==")), "Video", "video must be"),
        (Audio(Inline("audio/x-thing", "dg==")), "input_audio", "audio must be"),
        (Document(Inline("application/zip", "dg==")), "file", "documents must be"),
        (Document(Stored("chat", "file-1")), "file", "of no type"),
        (Document(Pieces((Text("a"), Image(Inline("image/png", "aW1n"))))), "file", "without images"),
    ],
)  # fmt: skip
def test_what_the_shape_has_not_is_refused_by_name(converse, part, param, words):
    """With what it takes instead."""
    with pytest.raises(Fault, match=words) as raised:
        rows_of(converse, part)
    assert param == raised.value.param


@pytest.mark.parametrize(
    ("part", "words"),
    [
        (Image(Inline("image/png", "aW1n")), "no images"),
        (Video(Inline("video/mp4", "dg==")), "no video"),
        (Audio(Inline("audio/wav", "d2F2")), "no audio"),
        (Document(PDF), "no documents"),
    ],
)
def test_what_the_model_takes_not_is_refused(converse, part, words):
    """As its profile says."""
    with pytest.raises(Fault, match=words):
        rows_of(converse, part, inputs=[])


def test_names_of_documents_are_mended(converse):
    """Valid and each once; what was changed is told, and nothing of it is refused when strict."""
    parts = (
        Document(PDF, title="report.pdf"),
        Document(Inline("application/pdf", "cGRm", "report.pdf")),
        Document(PDF),
        Document(PDF),
    )
    rows, report = rows_of(converse, *parts)
    assert ["report pdf", "report pdf (2)", "document", "document (2)"] == [
        row["document"]["name"] for row in rows
    ]
    assert {Mend.DOCUMENT_NAME} == {one.what for one in report.repairs}
    assert {"report.pdf", "document"} == {one.where for one in report.repairs}
    assert [] == report.drops
    converse.write(converse.request(Turn(Role.USER, (*parts, Text("Look")))), strict=True)


def test_a_document_has_one_name(converse):
    """Its title; that of its file is told."""
    part = Document(Inline("application/pdf", "cGRm", "a"), title="b")
    (row,), report = rows_of(converse, part)
    assert ("b", 1) == (row["document"]["name"], len(report.drops))


def test_no_document_is_without_a_word(converse):
    """The vendor refuses a message of documents alone."""
    body, report = converse.write(converse.request(Turn(Role.USER, (Document(PDF),))))
    assert ["document", "text"] == [next(iter(row)) for row in body["messages"][0]["content"]]
    assert [Mend.EMPTY_TURN] == [one.what for one in report.repairs]


def test_what_the_shape_cannot_say_of_media_is_told(converse):
    """How closely to look, and which part of a film."""
    _, report = rows_of(converse, Image(Inline("image/png", "aW1n"), detail="high"))
    assert ["image_url.detail"] == [one.member for one in report.drops]
    part = Video(Inline("video/mp4", "dg=="), metadata=Native("generate", b'{"fps":2}'))
    _, report = rows_of(converse, part)
    assert 1 == len(report.drops)


def test_sound_that_is_only_named_is_its_words(converse):
    """So is sound for a model that takes none; without words it is refused."""
    assert [{"text": "Hello"}] == rows_of(converse, Audio(None, "Hello", id="a"))[0]
    heard = Audio(Inline("audio/wav", "d2F2"), "Hello")
    assert [{"text": "Hello"}] == rows_of(converse, heard, inputs=[])[0]
    assert "audio" in row_of(converse, heard)
    with pytest.raises(Fault, match="only named"):
        rows_of(converse, Audio(None, id="a"))
