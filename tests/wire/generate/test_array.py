"""The array form of streamed generate-content: every fixture, cut everywhere."""

import json
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.conversation.usage import Usage
from trivium.faults import Fault, Kind
from trivium.wire.generate.array import ArrayWatch
from trivium.wire.generate.stream import Watch

FIXTURES = Path(__file__).parents[2] / "fixtures" / "generate"
WIRES = {
    path.name.removesuffix(".array.json"): path.read_bytes()
    for path in sorted(FIXTURES.glob("*.array.json"))
}
BROKEN = ("cut", "error", "error-first")
FAULT = Fault(Kind.UPSTREAM_TIMEOUT, "The upstream was silent for too long.")


def relay(chunks, fault=None):
    """Forwarded bytes, the tail after the upstream's last byte, and the watch."""
    seen = ArrayWatch()
    forwarded = b"".join(seen.feed(chunk) for chunk in chunks)
    return forwarded, seen.end(fault, "req_1"), seen


def told(result):
    """All that a relayed stream shows to the outside."""
    forwarded, tail, seen = result
    return forwarded, tail, seen.usage, seen.finished, seen.error


@pytest.mark.parametrize("name", sorted(set(WIRES) - set(BROKEN)))
def test_a_whole_array_passes_untouched(name):
    """Bytes come out as they went in, up to the closing bracket, and at once."""
    forwarded, tail, seen = relay([WIRES[name]])
    assert (WIRES[name].rstrip(), b"") == (forwarded, tail)
    assert (True, None) == (seen.finished, seen.error)


@pytest.mark.parametrize("name", sorted(set(WIRES) - {"pretty"}))
def test_both_forms_tell_the_same(name):
    """Usage and error do not depend on how the same objects are written."""
    other = Watch()
    other.feed((FIXTURES / f"{name}.sse").read_bytes())
    other.end(None, "req_1")
    _, _, seen = relay([WIRES[name]])
    assert (other.usage, other.finished) == (seen.usage, seen.finished)
    assert (other.error is None) == (seen.error is None)


def test_an_indented_array_is_read_too():
    """The vendor indents this form."""
    assert Usage(fresh=6, output=1, reasoning=76) == relay([WIRES["pretty"]])[2].usage


@pytest.mark.parametrize(("name", "elements"), [("cut", 1), ("error", 1), ("error-first", 0)])
def test_a_broken_array_is_closed_behind_our_error(name, elements):
    """What the caller has is valid JSON whose last element says what happened."""
    forwarded, tail, seen = relay([WIRES[name]])
    whole = json.loads(forwarded + tail)
    assert (elements + 1, 502, False) == (
        len(whole),
        whole[-1]["error"]["code"],
        seen.finished,
    )
    assert (name != "cut") == (seen.error is not None)
    assert tail.startswith(b',\r\n{"error":' if elements else b'[{"error":')


@pytest.mark.parametrize("name", sorted(WIRES))
def test_where_the_network_cuts_does_not_matter(name):
    """Two reads with the cut at every offset, and byte by byte."""
    wire = WIRES[name]
    wanted = told(relay([wire]))
    for cut in range(1, len(wire)):
        assert wanted == told(relay([wire[:cut], wire[cut:]])), cut
    assert wanted == told(relay([wire[at : at + 1] for at in range(len(wire))]))


@pytest.mark.parametrize("name", sorted(WIRES))
@pytest.mark.parametrize("fault", [None, FAULT])
def test_an_upstream_that_dies_anywhere_leaves_valid_json(name, fault):
    """Only whole elements have been forwarded, whatever the cut fell on."""
    wire = WIRES[name]
    for cut in range(len(wire) + 1):
        forwarded, tail, seen = relay([wire[:cut]], fault)
        assert wire.startswith(forwarded)
        whole = json.loads(forwarded + tail)
        assert seen.finished == ("error" not in whole[-1])


TEXTS = st.text(st.sampled_from('ab{}[]",:\\\u2028é👋\n'), max_size=12)
ELEMENTS = st.dictionaries(
    TEXTS,
    st.recursive(
        st.one_of(TEXTS, st.integers(), st.none()),
        lambda inner: st.one_of(st.lists(inner), st.dictionaries(TEXTS, inner)),
        max_leaves=6,
    ),
    max_size=3,
)


@given(
    st.lists(ELEMENTS, max_size=4),
    st.sampled_from([",", ",\r\n", "\n,\r\n", " , "]),
    st.sampled_from([None, 2]),
    st.booleans(),
    st.lists(st.integers(0, 600), max_size=8),
)
def test_any_elements_come_out_whole(elements, comma, indent, ascii_only, cuts):
    """Brackets, braces, quotes and backslashes inside texts do not end an element."""
    last = {"candidates": [{"finishReason": "STOP"}]}
    rows = [json.dumps(e, indent=indent, ensure_ascii=ascii_only) for e in [*elements, last]]
    wire = f"[{comma.join(rows)}]".encode()
    edges = sorted({0, len(wire), *(min(cut, len(wire)) for cut in cuts)})
    seen = ArrayWatch()
    forwarded = b""
    for a, b in pairwise(edges):
        forwarded += seen.feed(wire[a:b])
        if forwarded and not seen.finished:
            json.loads(forwarded + b"]")
    assert (wire, True) == (forwarded, seen.finished)


@pytest.mark.parametrize("wire", [b"[]", b" [ \r\n] ", b"[", b"", b"]", b"[,]"])
def test_an_array_without_elements_is_a_failure(wire):
    """Nothing of it is forwarded, so the error is its only element."""
    forwarded, tail, seen = relay([wire])
    assert (b"", False) == (forwarded, seen.finished)
    assert [502] == [element["error"]["code"] for element in json.loads(tail)]


@pytest.mark.parametrize("odd", [b"7", b'"x"', b"[", b"}", b"null", b"data: {}"])
def test_what_is_no_array_of_objects_is_not_forwarded(odd):
    """An element that is no object breaks the array off; what came before it stands."""
    forwarded, tail, _ = relay([odd.replace(b"[", b"{") + b"]"])
    assert (b"", 1) == (forwarded, len(json.loads(tail)))
    forwarded, tail, seen = relay([b'[{"a":1},' + odd + b', {"b":2}]'])
    assert (b'[{"a":1}', False) == (forwarded, seen.finished)
    assert {"a": 1} == json.loads(forwarded + tail)[0]


def test_an_array_that_closes_too_early_is_a_failure():
    """No candidate has said why it ended, so the bracket waits for the error."""
    forwarded, tail, seen = relay([b'[{"candidates":[{"index":0}]}]', b"\n"])
    assert (b'[{"candidates":[{"index":0}]}', False) == (forwarded, seen.finished)
    assert 502 == json.loads(forwarded + tail)[1]["error"]["code"]


def test_nothing_follows_the_closing_bracket():
    """Neither white space nor what a broken server adds."""
    forwarded, tail, _ = relay([WIRES["text"] + b"\r\n", b'{"error":{}}'])
    assert (WIRES["text"], b"") == (forwarded, tail)


def test_an_unreadable_element_passes():
    """Braces say where it ends; what is in it is the client's to judge."""
    wire = b'[{"a": nonsense},{"candidates":[{"finishReason":"STOP"}]}]'
    assert (wire, b"") == relay([wire])[:2]


def test_a_long_text_is_not_looked_at_again():
    """An image in a thousand reads costs a thousand reads, not their square."""
    seen = ArrayWatch()
    assert b"" == seen.feed(b'[{"text":"')
    for _ in range(100):
        assert b"" == seen.feed(b"}{\\u00e9\\\\" + b"x" * 1000 + b'\\"')
        assert len(seen._buffer) == seen._at
    out = seen.feed(b'"},{"candidates":[{"finishReason":"STOP"}]}]')
    assert 2 == len(json.loads(out))


def test_an_element_without_end_is_cut_off():
    """Memory has a limit, and the array is closed all the same."""
    seen = ArrayWatch(limit=100)
    first = seen.feed(b'[{"a":1},{"b":"' + b"x" * 50)
    with pytest.raises(Fault) as caught:
        seen.feed(b"x" * 60)
    assert Kind.UPSTREAM_BROKE is caught.value.kind
    assert [1, 502] == [
        element.get("a") or element["error"]["code"]
        for element in json.loads(first + seen.end(caught.value, "req_1"))
    ]
