"""The top level of a request body: what is read, what is replaced, what stays."""

import tracemalloc

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.faults import Fault, Kind
from trivium.wire.peek import _CAPITALS, MEMBERS_MAX, NAMES_BYTES_MAX, decode, members

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**40), 2**40)
    | st.text(st.characters(codec="utf-8")),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text("ab", max_size=2), inner, max_size=3)
    ),
    max_leaves=6,
)
NAMES = st.text(st.characters(codec="utf-8"), max_size=6).filter(
    lambda name: name.casefold() not in {"model", "gone", "new"}
)


def fault_of(call) -> Fault:
    with pytest.raises(Fault) as caught:
        call()
    return caught.value


@pytest.mark.parametrize(
    ("body", "kind", "words"),
    [
        (b"", Kind.MALFORMED_JSON, "truncated"),
        (b"[1]", Kind.MALFORMED_JSON, "must be a JSON object"),
        (b"null", Kind.MALFORMED_JSON, "must be a JSON object"),
        (b'{"a":1,}', Kind.MALFORMED_JSON, "trailing comma in object (byte 7)"),
        (b'{"a":1}x', Kind.MALFORMED_JSON, "trailing characters"),
        (b'{"a":NaN}', Kind.MALFORMED_JSON, "invalid character"),
        (b'{"\xff":1}', Kind.MALFORMED_JSON, "not UTF-8"),
        (b'{"a":"\\ud83d"}', Kind.MALFORMED_JSON, "one half of a pair"),
        (
            b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
            Kind.MALFORMED_JSON,
            "nested too deeply",
        ),
    ],
)
def test_a_body_that_is_no_object_is_refused_with_the_place(body, kind, words):
    """The message says what is wrong, and where when that is known."""
    fault = fault_of(lambda: members(body))
    assert kind is fault.kind
    assert words in fault.message


@pytest.mark.parametrize(
    "body",
    [
        b'{"model":"a","model":"b"}',
        b'{"model":"a","mod\\u0065l":"b"}',
        b'{"model":"a","Model":"b"}',
        b'{"MODEL":"a","model":"b"}',
    ],
)
def test_a_name_that_occurs_twice_is_refused_when_it_matters(body):
    """Escaped or in other case, it is the same name to some parser; so it must occur once."""
    found = members(body)
    assert Kind.DUPLICATE_MEMBER is fault_of(lambda: found.string("model")).kind
    assert "model" == fault_of(lambda: found.string("model")).param
    assert Kind.DUPLICATE_MEMBER is fault_of(lambda: found.splice({"model": b'"c"'})).kind


@given(
    st.lists(
        st.tuples(st.sampled_from(["a", "b", "\u00e9", "name", '"']), st.integers(0, 9999)),
        max_size=6,
    ),
    st.sampled_from(["", " ", "\n  "]),
)
def test_no_spacing_hides_a_name_that_occurs_twice(pairs, space):
    """Whatever the length of the body says of its members, a lost one is found."""
    encode = msgspec.json.encode
    inside = f",{space}".join(f"{encode(n).decode()}:{space}{v}" for n, v in pairs)
    found = members(("{" + inside + "}").encode())
    assert [name for name, _ in pairs] == [name for name, _ in found.pairs]
    for name in {name for name, _ in pairs}:
        if [other for other, _ in pairs].count(name) == 1:
            assert found.integer(name) == dict(pairs)[name]
        else:
            assert Kind.DUPLICATE_MEMBER is fault_of(lambda name=name: found.raw(name)).kind


def test_letters_that_fold_to_ascii_are_the_same_name():
    """Go folds the long s to s, so this stream flag would be read by a Go server."""
    found = members('{"stream":false,"\u017ftream":true}'.encode())
    assert Kind.DUPLICATE_MEMBER is fault_of(lambda: found.flag("stream")).kind


def test_another_spelling_alone_is_refused():
    """A flag that some servers would see and we would not is an error that says how to spell it."""
    fault = fault_of(lambda: members(b'{"Stream":true}').flag("stream"))
    assert (Kind.INVALID_VALUE, "Stream") == (fault.kind, fault.param)
    assert "`stream`" in fault.message


@pytest.mark.parametrize("name", sorted(_CAPITALS))
def test_the_names_of_googles_shape_are_never_one_another_in_other_letters(name):
    """A body of them needs no closer look, and another spelling beside them is still found."""
    assert [name] == [other for other in _CAPITALS if other.casefold() == name.casefold()]
    spelled = name.upper()
    assert 5 == members(f'{{"{name}":5}}'.encode()).integer(name)
    alone = fault_of(lambda: members(f'{{"{spelled}":5}}'.encode()).integer(name))
    assert (Kind.INVALID_VALUE, spelled) == (alone.kind, alone.param)
    both = fault_of(lambda: members(f'{{"{name}":5,"{spelled}":5}}'.encode()).integer(name))
    assert (Kind.DUPLICATE_MEMBER, name) == (both.kind, both.param)


def test_a_name_nobody_reads_may_occur_twice():
    """Members that are not our business travel as they are."""
    found = members(b'{"x":1,"model":"a","x":2,"X":3}')
    assert b'{"x":1,"model":"b","x":2,"X":3}' == found.splice({"model": b'"b"'})


@pytest.mark.parametrize(
    ("reader", "raw", "expected"),
    [
        ("string", b'"a\\u00e9"', "a\u00e9"),
        ("string", b"null", None),
        ("flag", b"true", True),
        ("flag", b"false", False),
        ("flag", b"null", False),
        ("integer", b"5", 5),
        ("integer", b"5.0", 5),
        ("integer", b"-1", -1),
        ("integer", b"null", None),
        ("value", b'{"a":[1]}', {"a": [1]}),
    ],
)
def test_members_are_read_by_type(reader, raw, expected):
    """Null is the same as absent, and 5.0 is an integer."""
    assert expected == getattr(members(b'{"m": ' + raw + b" }"), reader)("m")


@pytest.mark.parametrize(
    ("reader", "raw", "kind", "words"),
    [
        ("string", b"1", Kind.INVALID_TYPE, "`m` must be a string, not a number"),
        ("string", b"[]", Kind.INVALID_TYPE, "not an array"),
        ("string", b"{}", Kind.INVALID_TYPE, "not an object"),
        ("flag", b'"true"', Kind.INVALID_TYPE, "`m` must be true or false, not a string"),
        ("integer", b"true", Kind.INVALID_TYPE, "`m` must be an integer, not a boolean"),
        ("integer", b"1.5", Kind.INVALID_TYPE, "not a number"),
        ("integer", b"1e999", Kind.MALFORMED_JSON, "out of range"),
        ("integer", b"9" * 5000, Kind.MALFORMED_JSON, "out of range"),
        ("string", b'"\xff"', Kind.MALFORMED_JSON, "not UTF-8"),
    ],
)
def test_a_member_of_another_type_is_refused_by_name(reader, raw, kind, words):
    """Whatever the bytes, the answer is a fault that names the member."""
    fault = fault_of(lambda: getattr(members(b'{"m":' + raw + b"}"), reader)("m"))
    assert (kind, "m") == (fault.kind, fault.param)
    assert words in fault.message


@pytest.mark.parametrize("value", [b'"\xff"', b'{"a":["\xe2\x82"]}', b'"\xed\xa0\x80"'])
@pytest.mark.parametrize("fill", [0, 200_000])
def test_what_is_no_utf_8_is_refused_by_name(value, fill):
    """Wherever it stands and however long the body, though nobody reads the member."""
    long = '"é'.encode() + b"a" * fill + b'"'
    fault = fault_of(lambda: members(b'{"a":%b,"b":%b,"c":1}' % (long, value)))
    assert (Kind.MALFORMED_JSON, "b") == (fault.kind, fault.param)
    assert "not UTF-8" in fault.message


@pytest.mark.parametrize("shift", range(4))
def test_long_texts_are_utf_8_wherever_they_are_cut(shift):
    """A letter of four bytes stands across every piece that is looked at."""
    body = b'{"a":"' + b"a" * shift + "😀".encode() * 50_000 + b'"}'
    assert "😀" in members(body).string("a")


def test_absent_and_null_are_told_apart_when_asked():
    """A member may be required and still be null."""
    found = members(b'{"prompt":null}')
    assert (True, False, None) == ("prompt" in found, "model" in found, found.raw("prompt"))


@given(st.lists(st.tuples(NAMES, JSON), max_size=6), st.integers(0, 6))
def test_splicing_keeps_every_other_member(pairs, place):
    """Names, order, repetitions and the very bytes of all other members survive."""
    listed = [(name, msgspec.json.encode(value)) for name, value in pairs]
    place = min(place, len(listed))
    before = [*listed[:place], ("model", b'"a"'), *listed[place:]]
    body = b"{" + b" , ".join(msgspec.json.encode(n) + b" : " + v for n, v in before) + b"}"
    after = members(members(body).splice({"model": b'"b"', "gone": None, "new": b"[1]"})).pairs
    expected = [(n, b'"b"' if n == "model" else v) for n, v in before] + [("new", b"[1]")]
    assert expected == [(name, bytes(raw)) for name, raw in after]


def test_a_removed_member_is_gone():
    """None takes the member out, and changes nothing where it is not there."""
    assert b'{"a":1}' == members(b'{"a":1,"b":2}').splice({"b": None, "c": None})


def test_a_member_nested_too_deeply_is_a_fault():
    """Whoever reads a member by itself gets no RecursionError either."""
    fault = fault_of(lambda: decode(b"[" * 100_000 + b"]" * 100_000, "metadata"))
    assert (Kind.MALFORMED_JSON, "metadata") == (fault.kind, fault.param)
    assert "nested too deeply" in fault.message


@pytest.mark.parametrize(
    ("value", "first"),
    [(b"[1]", "["), (b'"x"', '"'), (b"{}", "{"), (b"-5", "-"), (b"null", "\0"), (b"false", "f")],
)
def test_the_first_byte_of_a_value_tells_its_type(value, first):
    """Null counts as absent, as everywhere."""
    assert ord(first) == members(b'{"a" : ' + value + b" }").opening("a")
    assert 0 == members(b'{"a":' + value + b"}").opening("b")
    fault = fault_of(lambda: members(b'{"a":1,"A":' + value + b"}").opening("a"))
    assert Kind.DUPLICATE_MEMBER is fault.kind


def test_names_are_given_once():
    """In their order, whoever wrote them twice."""
    assert ["b", "a"] == list(members(b'{"b":1,"a":2,"b":3}'))


def named(count, *, of="k%d", gap=""):
    return "{" + ",".join(f'"{of % i if "%" in of else of}":{gap}1' for i in range(count)) + "}"


CROWDS = {
    "names": named(MEMBERS_MAX + 1),
    "equal names": named(MEMBERS_MAX + 5, of="k"),
    "equal names, spaced": named(MEMBERS_MAX + 5, of="k", gap=" "),
    "many names": named(200_000),
    "many equal names": named(200_000, of="k"),
    "a long name": '{"%s":1}' % ("K" * (NAMES_BYTES_MAX + 1)),
    "long names": named(700, of="a" * 100 + "%d"),
    "a very long name": '{"%s":1}' % ("k" * 500_000),
}


@pytest.mark.parametrize("name", CROWDS)
def test_a_crowd_of_members_is_refused_before_it_is_made(name):
    """Of a megabyte of members, no more is made than of as many as may be."""
    body = CROWDS[name].encode()
    fault = fault_of(lambda: members(body))
    assert (Kind.BODY_TOO_LARGE, True) == (fault.kind, str(MEMBERS_MAX) in fault.message)
    tracemalloc.start()
    try:
        fault_of(lambda: members(body))
        assert tracemalloc.get_traced_memory()[1] < 1_200_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("gap", ["", " " * 300])
@pytest.mark.parametrize("count", [1, 100, MEMBERS_MAX])
def test_as_many_members_as_may_be_are_read(count, gap):
    """Laid out however, large or not; nothing is lost, and what is twice is known."""
    body = named(count, gap=gap).encode()
    assert [f"k{i}" for i in range(count)] == [name for name, _ in members(body).pairs]
    twice = named(count, gap=gap).encode()[:-1] + b',"a":"' + b"a" * 300_000 + b'","k0":2}'
    if count < MEMBERS_MAX:
        assert Kind.DUPLICATE_MEMBER is fault_of(lambda: members(twice).integer("k0")).kind


@pytest.mark.parametrize("value", ["[%s1]" % ("1," * 300_000), '{"a":[%s1]}' % ("1," * 300_000)])
@pytest.mark.parametrize("read", ["string", "flag", "integer"])
def test_nothing_is_made_of_a_large_member_of_the_wrong_kind(value, read):
    """Its first byte tells that it is one."""
    body = members(f'{{"model":{value}}}'.encode())
    tracemalloc.start()
    try:
        fault = fault_of(lambda: getattr(body, read)("model"))
        assert tracemalloc.get_traced_memory()[1] < 20_000
    finally:
        tracemalloc.stop()
    assert (Kind.INVALID_TYPE, "model") == (fault.kind, fault.param)
    assert ("an array" if value[0] == "[" else "an object") in fault.message


@pytest.mark.parametrize(
    ("value", "expected"), [(b"5", 5), (b"5.0", 5), (b"null", None), (b"1", 1)]
)
def test_a_limit_is_an_integer_or_nothing(value, expected):
    """5.0 counts as 5."""
    assert expected == members(b'{"n":%b}' % value).integer("n", 1)


@pytest.mark.parametrize(
    ("value", "kind"),
    [(b"0", Kind.INVALID_VALUE), (b"-1", Kind.INVALID_VALUE), (b'"5"', Kind.INVALID_TYPE),
     (b"1.5", Kind.INVALID_TYPE), (b"true", Kind.INVALID_TYPE)],
)  # fmt: skip
def test_a_limit_below_its_least_is_not_the_default(value, kind):
    """It is the caller's mistake, and named."""
    with pytest.raises(Fault) as caught:
        members(b'{"n":%b}' % value).integer("n", 1)
    assert (kind, "n") == (caught.value.kind, caught.value.param)


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"{}", Kind.MISSING_MEMBER),
        (b'{"model":null}', Kind.MISSING_MEMBER),
        (b'{"model":""}', Kind.INVALID_VALUE),
        (b'{"model":5}', Kind.INVALID_TYPE),
    ],
)
def test_what_is_needed_must_be_there(body, kind):
    """By a string with something in it."""
    with pytest.raises(Fault) as caught:
        members(body).needed("model")
    assert (kind, "model") == (caught.value.kind, caught.value.param)
