"""A form that is written reads as it was meant, whatever is in it."""

import pytest

from trivium.wire.multipart import FormReader, Part
from trivium.wire.multipart_writer import size_of, written


def sent(parts, content=b""):
    """The bytes of a written form, its files filled in."""
    return b"".join(
        piece if isinstance(piece, bytes) else content[piece.start : piece.start + piece.size]
        for piece in written(parts, b"b0undary")
    )


PARTS = (
    Part(name="model", value=b"m"),
    Part(name="file", filename="a.wav", content_type="audio/wav", start=2, size=5),
    Part(name="include[]", value=b"x"),
    Part(name="image[]", filename="at hand.png", value=b"PNG"),
    Part(name="last", filename="b", start=0, size=2),
)


def test_a_written_form_reads_as_it_was_meant():
    """Order, names, file names, types and content survive."""
    files: list[bytes] = []
    reader = FormReader(b"b0undary", files.append)
    reader.feed(sent(PARTS, b"0123456"))
    found = reader.finish()
    assert [p.name for p in PARTS] == [p.name for p in found]
    assert [p.filename for p in PARTS] == [p.filename for p in found]
    assert [p.content_type for p in PARTS] == [p.content_type for p in found]
    assert [b"m", b"", b"x", b"", b""] == [p.value for p in found]
    assert [5, 3, 2] == [p.size for p in found if p.is_file]
    assert b"23456PNG01" == b"".join(files)


def test_the_size_is_known_before_it_is_written():
    """As the content length must be."""
    assert len(sent(PARTS, b"0123456")) == size_of(written(PARTS, b"b0undary"))


@pytest.mark.parametrize("name", ['a"b', "a\r\nX: y", "grüße", "a;b", "\ud800"])
def test_a_name_cannot_break_out_of_its_header(name):
    """Whatever a file is called, the form stays one form of one part."""
    reader = FormReader(b"b0undary", lambda _: None)
    reader.feed(sent([Part(name="file", filename=name, value=b"x")]))
    (part,) = reader.finish()
    assert "file" == part.name
    assert part.filename
    assert "\r" not in part.filename


def test_a_form_without_parts_is_still_a_form():
    """Only the last boundary."""
    assert b"--b0undary--\r\n" == sent([])
