"""Items of the responses shape, read no deeper than needed."""

import msgspec
import pytest

from trivium.faults import Fault
from trivium.response_store import items


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("resp_1", True),
        ("a" * 200, True),
        ("", False),
        ("a" * 201, False),
        ("a\x00b", False),
        ("\ud800", False),
        ("é", False),
        (7, False),
        (None, False),
    ],
)
def test_only_what_a_database_takes_is_an_id(text, right):
    """Neither NUL nor half a surrogate reaches it."""
    assert right is items.is_id(text)


def test_a_text_is_one_message():
    """As the vendor lists it."""
    (row,) = items.listed(b'"Hi \\u00e9"')
    assert {
        "type": "message",
        "role": "user",
        "content": [{"type": "input_text", "text": "Hi é"}],
    } == msgspec.json.decode(row)


def test_items_stay_byte_for_byte():
    """Odd spacing, unknown members and number forms included."""
    rows = [b'{ "role":"user" , "x": 1.0e2 }', b'{"type":"new_kind"}']
    assert rows == items.listed(b"[" + b" , ".join(rows) + b"]")
    assert [] == items.listed(None)


@pytest.mark.parametrize(
    ("raw", "found"),
    [
        (None, {}),
        (b'"text with \\"id\\""', {}),
        (b'[{"role":"user","content":"id"}]', {}),
        (b'[{"type":"message","id":"msg_1","role":"user","content":"x"}]', {}),
        (
            b'[{"type":"message","role":"user"},{"type":"item_reference","id":"msg_1"}]',
            {1: "msg_1"},
        ),
        (b'[{"id":"msg_1"}]', {0: "msg_1"}),
        (b'[{"\\u0069d":"msg_1"}]', {0: "msg_1"}),
        (b'[{"type":"item\\u005freference","\\u0069d":"msg_1"}]', {0: "msg_1"}),
        (b'[{"type":null,"id":"msg_1"}]', {0: "msg_1"}),
        (b'[7, null, {"id":"rs_1","type":"reasoning","summary":[]}]', {}),
    ],
)
def test_references_are_found_however_they_are_written(raw, found):
    """Missing types and escapes hide none."""
    assert found == items.references(raw).items


@pytest.mark.parametrize(
    ("more", "found"),
    [
        ("", {0: "rs_1"}),
        (',"encrypted_content":null', {0: "rs_1"}),
        (',"encrypted_content":""', {0: "rs_1"}),
        (',"encrypted_content":"gAAA"', {}),
    ],
)
def test_reasoning_that_brings_nothing_is_looked_up_by_its_id(more, found):
    """Its maker would; what is sealed in the item itself needs no looking up."""
    raw = b'[{"type":"reasoning","id":"rs_1","summary":[]%b}]' % more.encode()
    assert found == items.references(raw).thoughts


def test_a_reference_to_no_name_is_refused():
    """With its place."""
    with pytest.raises(Fault) as caught:
        items.references(b'[{"type":"item_reference","id":7}]')
    assert "input[0].id" == caught.value.param


RESPONSE = b'{"id":"resp_1","status":"incomplete","output":[{"id":"msg_1"}],"x":[1]}'


@pytest.mark.parametrize("name", ["completed", "incomplete", "failed"])
@pytest.mark.parametrize("typed", [True, False])
def test_the_terminal_event_has_the_response(name, typed):
    """With the type inside or in the event's name alone, and whatever else came with it."""
    data = b'{"type":"response.%b","response":%b}' % (name.encode(), RESPONSE)
    if not typed:
        data = b'{"response":%b}' % RESPONSE
    run = (
        b'data: {"type":"response.output_text.delta","delta":"x"}\n\n'
        b"event: response.%b\ndata: %b\n\n" % (name.encode(), data)
    )
    said = items.said_in(run, stream=True)
    assert ("resp_1", "incomplete", (b'{"id":"msg_1"}',), RESPONSE) == (
        said.id,
        said.status,
        tuple(map(bytes, said.output)),
        said.raw,
    )


@pytest.mark.parametrize(
    ("said", "stream"),
    [
        (b"", True),
        (b"data: nonsense\n\n", True),
        (b'data: {"type":"response.created","response":{"id":"resp_1"}}\n\n', True),
        (b"", False),
        (b"[]", False),
        (b'{"status":"completed"}', False),
        (b'{"id":"resp\\u0000","status":"completed"}', False),
    ],
)
def test_what_is_no_response_is_none(said, stream):
    """An upstream may say anything."""
    assert None is items.said_in(said, stream=stream)


@pytest.mark.parametrize(
    ("row", "named"),
    [
        (b'{"role":"user"}', b'{"id":"msg_abi3","role":"user"}'),
        (b' { "type":"reasoning"}', b'{"id":"rs_abi3","type":"reasoning"}'),
        (b'{"type":"function_call_output"}', b'{"id":"fc_abi3","type":"function_call_output"}'),
        (b'{"type":"web_search_call"}', b'{"id":"item_abi3","type":"web_search_call"}'),
        (b"{}", b'{"id":"item_abi3"}'),
        (b'{"id":"own","role":"user"}', b'{"id":"own","role":"user"}'),
        (b'{"id":null,"role":"user"}', b'{"id":"msg_abi3","role":"user"}'),
        (b'{"x":{"id":1}}', b'{"id":"item_abi3","x":{"id":1}}'),
        (b"7", b"7"),
    ],
)
def test_an_input_item_gets_an_id(row, named):
    """Unless it has one; the rest stays as it came."""
    assert named == items.named(row, "resp_ab", 3)


def test_calls_that_were_cut_off_are_no_history():
    """Half a call cannot be answered; half a text can be gone on from."""
    given = [b'{"role":"user"}']
    text = b'{"type":"message","status":"incomplete"}'
    whole = b'{"type":"function_call","status":"completed"}'
    half = b'{"type":"function_call","status":"in_progress"}'
    assert [*given, text, whole] == items.history(given, [text, half, whole])


@pytest.mark.parametrize(
    ("row", "content"),
    [
        (b'{"role":"user","content":"Hi"}', [{"type": "input_text", "text": "Hi"}]),
        (
            b'{"role":"assistant","content":"Hi"}',
            [{"type": "output_text", "text": "Hi", "annotations": []}],
        ),
        (b'{"role":"user","content":[{"type":"input_text","text":"Hi"}]}',
         [{"type": "input_text", "text": "Hi"}]),
    ],
)  # fmt: skip
def test_messages_are_shown_in_parts(row, content):
    """SDKs iterate over the content."""
    shown = msgspec.json.decode(items.shown(row))
    assert ("message", content) == (shown["type"], shown["content"])


def test_other_items_are_shown_as_they_are():
    """Byte for byte."""
    row = b'{ "type":"function_call_output","output":"x"}'
    assert row == items.shown(row)


def test_an_item_is_found_among_others():
    """By its id, past what is none."""
    rows = [b"7", b'{"id":"a"}', b'{"id":"b"}', b'{"id":"a","role":"user"}', b'{"id":7}']
    assert {"a": b'{"id":"a"}', "b": b'{"id":"b"}'} == items.by_id(rows)
