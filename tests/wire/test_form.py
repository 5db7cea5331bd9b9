"""A form as members: one set of rules for JSON and forms."""

import pytest

from trivium.faults import Fault, Kind
from trivium.wire.form import FormMembers, base, flag, form_of, number, texts
from trivium.wire.multipart import Part
from trivium.wire.peek import members


def form(*pairs, files=()):
    parts = [Part(name=name, value=value.encode()) for name, value in pairs]
    return FormMembers([*parts, *(Part(name=n, filename="f", size=s) for n, s in files)])


def test_fields_lists_and_objects_have_names_without_brackets():
    """However clients write them."""
    body = form(
        ("model", "m"),
        ("list[]", "a"),
        ("list[]", "b"),
        ("indexed[0]", "c"),
        ("indexed[1]", "d"),
        ("object[type]", "x"),
        ("object[size]", "9"),
        ("deep[a][b]", "y"),
    )
    assert {
        "model": "m",
        "list": ["a", "b"],
        "indexed": ["c", "d"],
        "object": {"type": "x", "size": "9"},
        "deep[a][b]": "y",
    } == {name: body.value(name) for name, _ in body.pairs}


@pytest.mark.parametrize(
    ("pairs", "kind", "param"),
    [
        ([("a", "1"), ("a", "2")], Kind.DUPLICATE_MEMBER, "a"),
        ([("a", "1"), ("a[]", "2")], Kind.DUPLICATE_MEMBER, "a"),
        ([("a[x]", "1"), ("a[x]", "2")], Kind.DUPLICATE_MEMBER, "a"),
    ],
)
def test_a_field_that_comes_twice_is_refused_when_it_is_read(pairs, kind, param):
    """Servers disagree on which one counts."""
    with pytest.raises(Fault) as caught:
        form(*pairs).value("a")
    assert (kind, param) == (caught.value.kind, caught.value.param)


def test_a_field_that_is_not_text_is_refused():
    """Fields are UTF-8."""
    with pytest.raises(Fault) as caught:
        FormMembers([Part(name="a", value=b"\xff")])
    assert (Kind.MALFORMED_FORM, "a") == (caught.value.kind, caught.value.param)


def test_files_are_found_by_name():
    """With brackets or without, in order."""
    body = form(files=[("image[]", 1), ("mask", 2), ("image[]", 3)])
    assert [1, 3] == [part.size for part in body.files("image")]
    assert 2 == body.file("mask").size


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (form(), Kind.MISSING_MEMBER),
        (form(("file", "x")), Kind.INVALID_TYPE),
        (form(files=[("file", 1), ("file", 1)]), Kind.DUPLICATE_MEMBER),
        (form(files=[("file", 0)]), Kind.INVALID_VALUE),
    ],
)
def test_one_file_is_wanted(body, kind):
    """Not none, not two, not a text, not an empty one."""
    with pytest.raises(Fault) as caught:
        body.file("file")
    assert (kind, "file") == (caught.value.kind, caught.value.param)


def test_a_json_body_is_no_form():
    """It says which path wants one."""
    with pytest.raises(Fault, match="/v1/x takes a form") as caught:
        form_of(members(b"{}"), "/v1/x")
    assert Kind.MEDIA_TYPE is caught.value.kind


@pytest.mark.parametrize(
    ("text", "expected"), [("0.5", 0.5), ("1", 1.0), ("", None), ("-2e1", -20.0)]
)
def test_a_number_may_be_text(text, expected):
    """As a form has no other."""
    assert expected == number(form(("a", text)), "a")
    assert 0.5 == number(members(b'{"a":0.5}'), "a")
    assert number(members(b"{}"), "a") is None


@pytest.mark.parametrize(
    "raw", [b'"x"', b"true", b"[1]", b'"nan"', b'"1 "', pytest.param(b"9" * 400, id="huge")]
)
def test_what_is_no_number_is_refused(raw):
    """By name."""
    with pytest.raises(Fault) as caught:
        number(members(b'{"a":%b}' % raw), "a")
    assert (Kind.INVALID_TYPE, "a") == (caught.value.kind, caught.value.param)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("true", True), ("True", True), ("1", True), ("false", False), ("0", False), ("", False)],
)
def test_a_boolean_may_be_text(text, expected):
    """As clients write them."""
    assert expected is flag(form(("a", text)), "a")


@pytest.mark.parametrize("raw", [b'"yes"', b"2", b"[]", b"{}"])
def test_what_is_no_boolean_is_refused(raw):
    """By name."""
    with pytest.raises(Fault) as caught:
        flag(members(b'{"a":%b}' % raw), "a")
    assert Kind.INVALID_TYPE is caught.value.kind


def test_a_list_may_be_a_single_text():
    """A form writes one value bare."""
    assert ["x"] == texts(form(("a", "x")), "a")
    assert ["x", "y"] == texts(members(b'{"a":["x","y"]}'), "a")
    assert [] == texts(form(), "a")
    with pytest.raises(Fault):
        texts(members(b'{"a":[1]}'), "a")


@pytest.mark.parametrize(
    ("name", "expected"), [("a", "a"), ("a[]", "a"), ("a[0]", "a"), ("a[b]", "a"), ("[]", "[]")]
)
def test_a_name_without_its_brackets(name, expected):
    """What is all brackets stays."""
    assert expected == base(name)


@pytest.mark.parametrize("name", ["model", "model[]", "stream", "response_format", "n", "size"])
def test_what_decides_on_price_and_answer_is_no_file(name):
    """A vendor may read what we did not: beside a text field of that name, or instead of it."""
    for pairs in ([], [("model", "m")]):
        with pytest.raises(Fault) as caught:
            form(*pairs, files=[(name, 3)])
        assert (Kind.INVALID_TYPE, base(name)) == (caught.value.kind, caught.value.param)
