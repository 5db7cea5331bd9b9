"""Small checks of a request's members."""

import msgspec
import pytest

from trivium.faults import Fault, Kind
from trivium.wire.converse.values import only, present, required, single


def test_what_must_be_there():
    """Empty is not there; zero and false are."""
    assert (0, False, []) == (required(0, "a"), required(False, "a"), required([], "a"))
    for value in (None, ""):
        with pytest.raises(Fault) as caught:
            required(value, "a.b")
        assert (Kind.MISSING_MEMBER, "a.b") == (caught.value.kind, caught.value.param)


def test_a_union_has_one_member():
    """Null is none."""
    assert ("a", b"1") == _plain(only(msgspec.Raw(b'{"a":1,"b":null}'), "x"))
    assert ("a", b"1") == _plain(single({"a": msgspec.Raw(b"1")}, "x"))
    assert ["a"] == list(present({"a": msgspec.Raw(b"true"), "b": msgspec.Raw(b"null")}))
    for raw in (b"{}", b'{"a":null}', b'{"a":1,"b":2}'):
        with pytest.raises(Fault, match="x: must have exactly one member"):
            only(msgspec.Raw(raw), "x")


def test_names_in_the_words_of_a_fault_are_few_and_short():
    """However many there were."""
    raw = b"{" + b",".join(b'"%s%d":1' % (b"a" * 999, at) for at in range(99)) + b"}"
    with pytest.raises(Fault) as caught:
        only(msgspec.Raw(raw), "x")
    assert len(caught.value.message) < 400


def _plain(found):
    name, raw = found
    return name, bytes(raw)
