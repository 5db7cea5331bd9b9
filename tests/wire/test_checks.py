"""What a view refuses becomes a fault that names the place and says what would be right."""

from typing import Annotated

import msgspec
import pytest

from trivium.faults import Fault, Kind
from trivium.wire.checks import below, check, missing, require_long_name, wrong
from trivium.wire.request_structs import AllowedTools, Name


class Inner(msgspec.Struct):
    name: Name
    count: int | None = None


class Outer(msgspec.Struct):
    inner: Inner | None = None
    many: list[Inner] | None = None


OUTER = msgspec.json.Decoder(Outer)
ALLOWED = msgspec.json.Decoder(AllowedTools)
COUNT = msgspec.json.Decoder(Annotated[int, msgspec.Meta(ge=1)])

REFUSED = [
    (OUTER, b'{"inner":{}}', Kind.MISSING_MEMBER, "t.inner.name"),
    (OUTER, b'{"inner":{"name":null}}', Kind.MISSING_MEMBER, "t.inner.name"),
    (OUTER, b'{"inner":{"name":5}}', Kind.INVALID_TYPE, "t.inner.name"),
    (OUTER, b'{"inner":{"name":"a b"}}', Kind.INVALID_VALUE, "t.inner.name"),
    (OUTER, b'{"inner":{"name":""}}', Kind.INVALID_VALUE, "t.inner.name"),
    (OUTER, b'{"inner":{"name":"%s"}}' % (b"a" * 65), Kind.INVALID_VALUE, "t.inner.name"),
    (OUTER, b'{"inner":{"name":"a","count":"x"}}', Kind.INVALID_TYPE, "t.inner.count"),
    (OUTER, b'{"many":[{"name":"a"},{"name":"%"}]}', Kind.INVALID_VALUE, "t.many[1].name"),
    (OUTER, b'{"many":{}}', Kind.INVALID_TYPE, "t.many"),
    (OUTER, b"[]", Kind.INVALID_TYPE, "t"),
    (OUTER, b"{", Kind.MALFORMED_JSON, "t"),
    (OUTER, b'{"inner":{"name":"\xff"}}', Kind.MALFORMED_JSON, "t"),
    (ALLOWED, b'{"mode":"none","tools":[]}', Kind.INVALID_VALUE, "t.mode"),
    (COUNT, b"0", Kind.INVALID_VALUE, "t"),
    (ALLOWED, b'{"mode":"auto"}', Kind.MISSING_MEMBER, "t.tools"),
]


@pytest.mark.parametrize(("decoder", "raw", "kind", "path"), REFUSED)
def test_the_fault_names_the_place(decoder, raw, kind, path):
    """Also within lists, and whatever the reason."""
    with pytest.raises(Fault) as caught:
        check(decoder, raw, "t")
    fault = caught.value
    assert (kind, path) == (fault.kind, fault.param)
    assert path in fault.message


def test_the_fault_says_what_would_be_right():
    """In words, not in a pattern or a type of Python's."""
    with pytest.raises(Fault, match=r"1 to 64 characters.*letter.*digit"):
        check(OUTER, b'{"inner":{"name":"a b"}}', "t")
    with pytest.raises(Fault, match=r"be one of auto, required"):
        check(ALLOWED, b'{"mode":"x","tools":[]}', "t")
    with pytest.raises(Fault, match=r"must be a number.*, not a string"):
        check(OUTER, b'{"inner":{"name":"a","count":"x"}}', "t")


def test_what_a_view_does_not_list_is_not_its_business():
    """Unknown members of any kind are skimmed."""
    assert "ok-1" == check(OUTER, b'{"inner":{"name":"ok-1","x":{"y":[1]}},"z":1}', "t").inner.name


@pytest.mark.parametrize(("name", "ok"), [("a" * 128, True), ("a" * 129, False), ("a.b", False)])
def test_the_responses_shape_takes_longer_names(name, ok):
    """128 characters; none at all is a missing member."""
    if ok:
        require_long_name(name, "tools[0].name")
    else:
        with pytest.raises(Fault, match="128"):
            require_long_name(name, "tools[0].name")
    with pytest.raises(Fault) as caught:
        require_long_name(None, "tools[0].name")
    assert Kind.MISSING_MEMBER is caught.value.kind


def test_the_two_plain_faults():
    """Required, and out of range."""
    assert (Kind.MISSING_MEMBER, "a.b") == (missing("a.b").kind, missing("a.b").param)
    assert "`a` must be at least 1." == wrong("a", "be at least 1").message


def test_a_path_of_long_names_stays_short():
    """A caller's own names are in it: of each no more than tells it from others."""
    assert "a.b" == below("a", "b")
    path = "tools"
    for _ in range(100):
        path = below(path, "n" * 1000)
    assert 600 > len(path)
