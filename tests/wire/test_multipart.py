"""Forms: what is read of a good one at every cut, and why a bad one is refused."""

import pytest

from trivium.faults import Fault, Kind
from trivium.wire.multipart import FormReader, Limits, Part, boundary_of

TYPE = b"multipart/form-data; boundary=xyz"


def part(disposition: bytes, body: bytes, *lines: bytes) -> bytes:
    head = b"\r\n".join([b"--xyz", b"Content-Disposition: " + disposition, *lines])
    return head + b"\r\n\r\n" + body + b"\r\n"


def form(*parts: bytes) -> bytes:
    return b"".join(parts) + b"--xyz--\r\n"


def read(body: bytes, cut: int | None = None, limits: Limits | None = None):
    """The parts and the bytes of all files; fed in one go, or in pieces of ``cut`` bytes."""
    files: list[bytes] = []
    reader = FormReader(b"xyz", files.append, limits or Limits())
    size = cut or max(1, len(body))
    for start in range(0, len(body), size):
        reader.feed(body[start : start + size])
    return reader.finish(), b"".join(files)


GOOD = form(
    part(b'form-data; name="model"', b"whisper-1"),
    part(
        b'form-data; name="file"; filename="a.wav"',
        b"RIFF\r\n--xy\r\n--xyzz no boundary\r\n",
        b"Content-Type: audio/wav",
    ),
    part(b'form-data; name="timestamp_granularities[]"', b"word"),
    part(b'form-data; name="timestamp_granularities[]"', b"segment"),
    part(b'form-data; name="image[]"; filename="b.png"', b"PNG", b"Content-Type: image/png"),
    part(b'form-data; name="empty"', b""),
)
PARTS = (
    Part(name="model", value=b"whisper-1"),
    Part(name="file", filename="a.wav", content_type="audio/wav", start=0, size=32),
    Part(name="timestamp_granularities[]", value=b"word"),
    Part(name="timestamp_granularities[]", value=b"segment"),
    Part(name="image[]", filename="b.png", content_type="image/png", start=32, size=3),
    Part(name="empty"),
)


@pytest.mark.parametrize("cut", [None, 1, 2, 3, 5, 7, 16, 61, 64])
def test_a_form_reads_the_same_however_it_is_cut(cut):
    """Names, order, repetition and brackets are kept, and files are known by where they are."""
    parts, files = read(GOOD, cut)
    assert PARTS == parts
    assert b"RIFF\r\n--xy\r\n--xyzz no boundary\r\nPNG" == files


SPELLINGS = {
    "token": (b"form-data; name=model", "model", None),
    "case": (b'Form-Data; NAME="model"', "model", None),
    "semicolon in quotes": (b'form-data; name="f"; filename="a;b.wav"', "f", "a;b.wav"),
    "escaped quote": (b'form-data; name="f"; filename="a\\"b.wav"', "f", 'a"b.wav'),
    "percent quote": (b'form-data; name="f"; filename="a%22b.wav"', "f", "a%22b.wav"),
    "UTF-8": ('form-data; name="f"; filename="grüße.wav"'.encode(), "f", "grüße.wav"),
    "extended": (b'form-data; name="f"; filename="a.wav"; filename*=UTF-8\'\'b', "f", "a.wav"),
    "only extended": (b"form-data; name=\"f\"; filename*=utf-8''gr%C3%BC%22.wav", "f", 'grü".wav'),
    "extended, with a language": (b"form-data; name=f; filename*=ISO-8859-1'de'%FC", "f", "ü"),
    "extended first": (b"form-data; name=f; filename*=UTF-8''b; filename=a.wav", "f", "a.wav"),
    "no file chosen": (b'form-data; name="f"; filename=""', "f", ""),
    "last semicolon": (b'form-data; name="f"; ', "f", None),
    "backslashes": (b'form-data; name="f"; filename="C:\\a\\b.wav"', "f", "C:\\a\\b.wav"),
}


@pytest.mark.parametrize("name", SPELLINGS)
def test_a_part_is_named_in_many_spellings(name):
    """What clients write is understood."""
    disposition, field, filename = SPELLINGS[name]
    ((found,), _) = read(form(part(disposition, b"x")))
    assert (field, filename) == (found.name, found.filename)


BAD = {
    "empty body": (b"", "it is empty"),
    "no boundary at all": (b'{"model": "whisper-1"}', "boundary"),
    "another boundary": (GOOD.replace(b"--xyz", b"--abc"), "boundary"),
    "no last boundary": (GOOD[:-9], "ends before its last boundary"),
    "cut in a file": (GOOD[:120], "ends before its last boundary"),
    "cut in a head": (GOOD[:30], "ends before its last boundary"),
    "no disposition": (form(b"--xyz\r\nContent-Type: a/b\r\n\r\nx\r\n"), "Content-Disposition"),
    "no headers": (form(b"--xyz\r\n\r\nx\r\n"), "no `Content-Disposition`"),
    "not form-data": (form(part(b'attachment; name="a"', b"x")), "not `form-data`"),
    "no name": (form(part(b"form-data", b"x")), "not `form-data` with a name"),
    "empty name": (form(part(b'form-data; name=""', b"x")), "not `form-data` with a name"),
    "two names": (form(part(b'form-data; name="a"; name="b"', b"x")), "not `form-data`"),
    "open quote": (form(part(b'form-data; name="a', b"x")), "not `form-data`"),
    "name is not UTF-8": (form(part(b'form-data; name="\xff"', b"x")), "not UTF-8"),
    "line break in a name": (form(part(b'form-data; name="a\nb"', b"x")), "control character"),
    "nul in a file name": (form(part(b'form-data; name="a"; filename="\0"', b"x")), "control"),
    "two dispositions": (
        form(part(b'form-data; name="a"', b"x", b'Content-Disposition: form-data; name="b"')),
        "two `content-disposition`",
    ),
    "base64": (
        form(part(b'form-data; name="a"', b"eA==", b"Content-Transfer-Encoding: base64")),
        "transfer encoding",
    ),
    "header without a name": (form(b"--xyz\r\n: a\r\n\r\nx\r\n"), "0-length header"),
    "space in a header's name": (form(b"--xyz\r\nA b: c\r\n\r\nx\r\n"), "invalid character"),
    "bare line feeds": (GOOD.replace(b"\r\n", b"\n"), "boundary"),
}


@pytest.mark.parametrize("name", BAD)
@pytest.mark.parametrize("cut", [None, 1])
def test_a_bad_form_is_refused_with_what_is_wrong(name, cut):
    """However it comes, the answer is a 400 that names the mistake."""
    body, why = BAD[name]
    with pytest.raises(Fault) as caught:
        read(body, cut)
    assert Kind.MALFORMED_FORM is caught.value.kind
    assert 400 == caught.value.status
    assert why in caught.value.message


LIMITED = {
    "parts": (GOOD, Limits(parts=5), Kind.BODY_TOO_LARGE, "more than 5 parts"),
    "fields": (
        form(part(b'form-data; name="a"', b"x" * 6), part(b'form-data; name="b"', b"x" * 5)),
        Limits(fields_bytes=10),
        Kind.BODY_TOO_LARGE,
        "10 bytes",
    ),
    "header lines": (
        form(part(b'form-data; name="a"', b"", *[b"X: y"] * 8)),
        Limits(),
        Kind.MALFORMED_FORM,
        "maximum header count",
    ),
    "a header line": (
        form(part(b'form-data; name="a"', b"", b"X: " + b"y" * 9000)),
        Limits(),
        Kind.MALFORMED_FORM,
        "maximum header size",
    ),
}


@pytest.mark.parametrize("name", LIMITED)
@pytest.mark.parametrize("cut", [None, 1])
def test_what_exceeds_a_limit_is_refused_before_it_is_kept(name, cut):
    """Parts, their headers and all text fields together are limited; files are not, here."""
    body, limits, kind, why = LIMITED[name]
    with pytest.raises(Fault) as caught:
        read(body, cut, limits)
    assert kind is caught.value.kind
    assert why in caught.value.message


def test_a_file_is_no_field():
    """The limit of text fields does not hold for files."""
    _, files = read(
        form(part(b'form-data; name="f"; filename="a"', b"x" * 99)), limits=Limits(fields_bytes=1)
    )
    assert 99 == len(files)


@pytest.mark.parametrize(
    ("content_type", "boundary"),
    [
        (TYPE, b"xyz"),
        (b"Multipart/Form-Data; Boundary=xyz", b"xyz"),
        (b'multipart/form-data; charset=utf-8; boundary="x y:z"', b"x y:z"),
        (b"multipart/form-data;boundary=----WebKitFormBoundaryA1b2", b"----WebKitFormBoundaryA1b2"),
        (b"application/json", None),
        (b"", None),
    ],
)
def test_the_content_type_names_the_boundary(content_type, boundary):
    """As RFC 2046 has it; anything but a form has none."""
    assert boundary == boundary_of(content_type)


@pytest.mark.parametrize(
    "content_type",
    [
        b"multipart/form-data",
        b"multipart/form-data; boundary=",
        b'multipart/form-data; boundary=""',
        b"multipart/form-data; boundary=" + b"x" * 71,
        b'multipart/form-data; boundary="a\xff"',
        b'multipart/form-data; boundary="ends in a space "',
    ],
)
def test_a_form_without_a_usable_boundary_is_refused(content_type):
    """Its content type was written by hand: say so."""
    with pytest.raises(Fault, match="boundary") as caught:
        boundary_of(content_type)
    assert Kind.MALFORMED_FORM is caught.value.kind


@pytest.mark.parametrize(
    "value", [b"a.wav", b"utf-7''a", b"UTF-8''%FF", b"UTF-8''a%00b", b"UTF-8''a%0Ab", b"UTF-8''a%4"]
)
def test_an_extended_file_name_that_cannot_be_read_is_refused(value):
    """A part whose file name nobody can tell is no text field."""
    with pytest.raises(Fault, match=r"file name|filename") as caught:
        read(form(part(b"form-data; name=f; filename*=" + value, b"x")))
    assert Kind.MALFORMED_FORM is caught.value.kind


@pytest.mark.parametrize("kind", [b"multipart/form-dataX; boundary=b", b"multipart/form-data-x"])
def test_a_type_that_only_begins_like_a_forms_is_none(kind):
    """Nothing is said about boundaries then."""
    assert boundary_of(kind) is None
