"""Faults that lead with their place."""

import msgspec
import pytest

from trivium.faults import Fault, Kind
from trivium.wire.errors import cut_short
from trivium.wire.messages.paths import broke, missing, view, wrong


class Row(msgspec.Struct):
    name: str


ROWS = msgspec.json.Decoder(list[Row])


@pytest.mark.parametrize(
    ("raw", "kind", "message"),
    [
        (b'[{"name":5}]', Kind.INVALID_TYPE, "tools.0.name: must be a string, not a number."),
        (b"[{}]", Kind.MISSING_MEMBER, "tools.0.name: is required."),
        (b"{}", Kind.INVALID_TYPE, "tools: must be an array, not an object."),
        (b"[", Kind.MALFORMED_JSON, "tools: is not valid JSON."),
    ],
)
def test_a_place_is_spelled_with_dots_and_leads(raw, kind, message):
    """As the vendor's own texts have it."""
    with pytest.raises(Fault) as caught:
        view(ROWS, raw, "tools")
    assert (kind, message) == (caught.value.kind, caught.value.message)
    assert message.startswith(f"{caught.value.param}: ")


def test_faults_of_our_own_have_the_same_form():
    """The place first, then what would be right."""
    assert "a.0: must be b." == wrong("a.0", "must be b.").message
    assert ("a.0", Kind.MISSING_MEMBER) == (missing("a.0").param, missing("a.0").kind)


def test_an_answer_of_another_protocol_is_the_upstreams_fault():
    """Another channel may be tried; the caller reads what happened."""
    assert Kind.UPSTREAM_BROKE is broke().kind
    assert broke().message != cut_short().message
    assert broke("a call has no name").message.endswith("protocol: a call has no name.")
