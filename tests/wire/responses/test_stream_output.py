"""The output of a stream while it grows: servers leave out openings, indexes and ends."""

import json

import msgspec

from trivium.conversation.calls import ToolCall
from trivium.conversation.events import Cited, Delta, PartEnd, PartStart
from trivium.conversation.opaque import StateOrigin
from trivium.conversation.parts import Reasoning, ReasoningForm, Text
from trivium.wire.codec import AnswerContext
from trivium.wire.responses.stream_output import StreamOutput

CONTEXT = AnswerContext(origin=StateOrigin("responses", "openai", "main"))


def raw(value):
    return msgspec.Raw(json.dumps(value).encode())


def message(text, *annotations):
    part = {"type": "output_text", "text": text, "annotations": list(annotations)}
    return raw({"type": "message", "content": [part]})


CALL = {"type": "function_call", "call_id": "c", "name": "f"}


def test_a_text_is_opened_by_its_first_words():
    """And closed by its item, which has the last word."""
    output, out = StreamOutput(CONTEXT), []
    output.say(output.content(0, 0, "output_text", out), "Hel", out)
    output.done(0, message("Hello"), out)
    assert [PartStart(0, Text("")), Delta(0, "Hel"), Delta(0, "lo"), PartEnd(0)] == out


def test_citations_that_were_not_streamed_are_told_at_the_end():
    """Each once."""
    output, out = StreamOutput(CONTEXT), []
    output.content(0, 0, "output_text", out)
    output.done(0, message("Hi", {"type": "url_citation", "url": "https://a.org"}), out)
    assert ["https://a.org"] == [event.citation.url for event in out if type(event) is Cited]


def test_nothing_is_said_after_an_items_end():
    """Late deltas and a second end are echoes."""
    output, out = StreamOutput(CONTEXT), []
    output.done(0, message("Hi"), out)
    before = list(out)
    output.say(output.content(0, 0, "output_text", out), "again", out)
    output.done(0, message("Hi"), out)
    output.close(out)
    assert before == out


def test_a_call_without_a_name_waits_for_its_end():
    """A part cannot open namelessly; then it is said whole."""
    output, out = StreamOutput(CONTEXT), []
    output.added(0, raw({"type": "function_call", "call_id": "c"}), out)
    assert output.call(0) is None
    assert [] == out
    output.done(0, raw({**CALL, "arguments": '{"a":1}'}), out)
    assert [PartStart(0, ToolCall("c", "f")), Delta(0, '{"a":1}'), PartEnd(0)] == out


def test_a_call_that_never_ends_is_ended_with_the_answer():
    """With an empty object where nothing was said."""
    output, out = StreamOutput(CONTEXT), []
    output.added(0, raw(CALL), out)
    output.close(out)
    assert [PartStart(0, ToolCall("c", "f")), Delta(0, "{}"), PartEnd(0)] == out
    assert output.called


def test_without_indexes_what_comes_belongs_to_the_last_item():
    """Servers with one item at a time leave them out."""
    output, out = StreamOutput(CONTEXT), []
    output.added(None, raw(CALL), out)
    output.say(output.call(None), "{", out)
    output.done(None, raw({**CALL, "arguments": "{}"}), out)
    output.added(None, raw({**CALL, "call_id": "d"}), out)
    output.done(None, raw({**CALL, "call_id": "d", "arguments": "[]"}), out)
    assert ["{", "}", "[]"] == [event.text for event in out if type(event) is Delta]


def test_without_indexes_an_item_that_ends_late_is_known_by_its_id():
    """llama.cpp ends its reasoning after the text that followed it."""
    output, out = StreamOutput(CONTEXT), []
    thought = {"type": "reasoning", "id": "rs", "summary": []}
    output.added(None, raw(thought), out)
    output.say(output.thought(output.place("rs"), ReasoningForm.FULL, 0, out), "think", out)
    output.added(None, raw({"type": "message", "id": "msg"}), out)
    output.say(output.content(output.place("msg"), 0, "output_text", out), "say", out)
    content = [{"type": "reasoning_text", "text": "think"}]
    output.done(None, raw({**thought, "content": content}), out)
    text = [{"type": "output_text", "text": "say"}]
    output.done(None, raw({"type": "message", "id": "msg", "content": text}), out)
    assert ["think", "say"] == [event.text for event in out if isinstance(event, Delta)]
    assert (None, None) == (output.place("other"), output.place(None))


def test_sections_of_a_summary_are_set_apart():
    """And what was left out of one is told from its end."""
    output, out = StreamOutput(CONTEXT), []
    output.say(output.thought(0, ReasoningForm.SUMMARY, 0, out), "One", out)
    part = output.thought(0, ReasoningForm.SUMMARY, 1, out)
    output.say(part, "Tw", out)
    output.rest(part, "Two", out, part.section_from)
    assert [
        PartStart(0, Reasoning("", ReasoningForm.SUMMARY)),
        Delta(0, "One"),
        Delta(0, "\n\n"),
        Delta(0, "Tw"),
        Delta(0, "o"),
    ] == out


def test_sealed_reasoning_ends_with_its_attachment_on_the_last_part():
    """A summary and the model's own words are two parts of one item."""
    output, out = StreamOutput(CONTEXT), []
    item = {
        "type": "reasoning",
        "summary": [{"type": "summary_text", "text": "s"}],
        "content": [{"type": "reasoning_text", "text": "r"}],
        "encrypted_content": "g",
    }
    output.done(0, raw(item), out)
    assert [(0, 0), (1, 1)] == [
        (event.index, len(event.opaque)) for event in out if type(event) is PartEnd
    ]


def test_an_item_that_cannot_be_read_says_nothing():
    """And does not break what follows."""
    output, out = StreamOutput(CONTEXT), []
    output.added(0, raw(7), out)
    output.done(0, raw(7), out)
    output.done(1, message("Hi"), out)
    assert [PartStart(0, Text("")), Delta(0, "Hi"), PartEnd(0)] == out
