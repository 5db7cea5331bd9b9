"""Whole answers of the shape."""

import pytest

from trivium.conversation.calls import ToolCall
from trivium.conversation.finish import Finish, Unified
from trivium.conversation.parts import (
    Audio,
    Citation,
    Document,
    Image,
    Inline,
    Reasoning,
    ReasoningForm,
    Remote,
    Text,
    TokenLogprob,
)
from trivium.conversation.usage import Usage
from trivium.faults import Fault, Kind


def test_text_and_usage(wires):
    """Trap 96: cached tokens are part of the prompt."""
    found = wires.answer(wires.fixture("text.json"))
    assert (Text(text="Hello."),) == found.candidates[0].parts
    assert Finish(Unified.STOP, "STOP") == found.candidates[0].finish
    assert Usage(fresh=6, cache_read=4, output=3, reasoning=20) == found.usage
    assert ("resp1", "g-001") == (found.id, found.model)


def test_parallel_calls_and_one_without_arguments(wires):
    """Trap 85: three calls, three ids; the signature on the first of them."""
    text, one, two, now = wires.answer(wires.fixture("calls.json")).candidates[0].parts
    assert "Looking." == text.text
    assert ['{"q":"x","n":1.0}', '{"q":"y"}', "{}"] == [one.arguments, two.arguments, now.arguments]
    assert 3 == len({one.id, two.id, now.id} - {""})
    assert ((wires.signature(),), (), ()) == (one.opaque, two.opaque, now.opaque)


def test_calls_are_why_an_answer_with_calls_ended(wires):
    """Trap 86: the vendor says STOP."""
    finish = wires.answer(wires.fixture("calls.json")).candidates[0].finish
    assert Finish(Unified.TOOL_CALLS, "STOP") == finish


def test_thoughts_stand_beside_the_candidates(wires):
    """Trap 95: they count as output; the total tells whether they are in the candidates."""
    found = wires.answer(wires.fixture("thoughts.json"))
    assert (
        Reasoning(text="Plan.", form=ReasoningForm.SUMMARY),
        Text(text="Hello.", opaque=(wires.signature(),)),
    ) == found.candidates[0].parts
    assert 1708 == found.usage.output_total
    assert 785 == found.usage.reasoning


def test_media(wires):
    """An image, sound and a file by its address."""
    assert (
        Image(source=Inline("image/png", "iVBORw0KGgo=")),
        Audio(source=Inline("audio/L16", "AAAA")),
        Document(source=Remote("https://example.org/a.pdf", "application/pdf")),
    ) == wires.answer(wires.fixture("media.json")).candidates[0].parts


def test_a_blocked_prompt_is_a_candidate_without_parts(wires):
    """Trap 90: no crash, no empty success, and the prompt's tokens are known."""
    found = wires.answer(wires.fixture("blocked.json"))
    assert ((), Unified.CONTENT_FILTER) == (
        found.candidates[0].parts,
        found.candidates[0].finish.unified,
    )
    assert Usage(fresh=9) == found.usage


@pytest.mark.parametrize(
    ("name", "parts", "finish"),
    [
        ("safety.json", (Text(text="Well,"),), Finish(Unified.CONTENT_FILTER, "SAFETY", explanation="Stopped.")),
        ("empty.json", (), Finish(Unified.STOP, "STOP")),
    ],
)  # fmt: skip
def test_ends(wires, name, parts, finish):
    """A stop for safety keeps its words; an empty answer is one."""
    found = wires.answer(wires.fixture(name)).candidates[0]
    assert (parts, finish) == (found.parts, found.finish)


def test_parts_nobody_knows_are_kept(wires):
    """They go back verbatim; a new reason is no success."""
    found = wires.answer(wires.fixture("unknown.json")).candidates[0]
    assert ["executableCode", "codeExecutionResult", "hologram", "inlineData"] == [
        part.kind for part in found.parts[:-1]
    ]
    assert (wires.signature(),) == found.parts[0].opaque
    assert "Done." == found.parts[-1].text
    assert Finish(Unified.OTHER, "SOMETHING_NEW") == found.finish


def test_citations_count_code_points(wires):
    """A segment in the middle of a character has no range."""
    text, search = wires.answer(wires.fixture("grounded.json")).candidates[0].parts
    assert ("q",) == search.queries
    assert (
        Citation("https://example.org/a", "A", 0, 5),
        Citation("https://example.org/b", None, 0, 5),
        Citation("https://example.org/b", None, 10, 14),
        Citation("https://example.org/a", "A"),
    ) == text.citations


def test_probabilities(wires):
    """With the likeliest beside the chosen."""
    (text,) = wires.answer(wires.fixture("probable.json")).candidates[0].parts
    assert (
        TokenLogprob("Hi", -0.25, (TokenLogprob("Hi", -0.25), TokenLogprob("Yo", -2.0))),
        TokenLogprob("!", -0.5),
    ) == text.logprobs


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>",
        b"[]",
        b"{}",
        b'{"candidates":[]}',
        b'{"candidates":[{"content":{"parts":[{"text":"a"}]}}]}',
        b'{"error":{"code":500,"message":"secret"}}',
    ],
)
def test_what_is_no_answer_is_the_upstreams_failure(wires, body):
    """Whatever came with status 200; the vendor's words are not shown."""
    with pytest.raises(Fault) as caught:
        wires.answer(body)
    assert Kind.UPSTREAM_BROKE is caught.value.kind
    assert "secret" not in caught.value.message


def test_a_call_that_the_vendor_could_not_read_is_a_failure(wires):
    """No success without a call, no refusal."""
    with pytest.raises(Fault) as caught:
        wires.answer(wires.fixture("malformed.json"))
    assert "upstream_malformed_output" == caught.value.code


def test_a_call_is_the_same_call_in_a_stream(wires):
    """One machine tells both."""
    call = b'{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f"}}]},"finishReason":"STOP"}],"responseId":"r"}'
    whole = wires.answer(call)
    assert isinstance(whole.candidates[0].parts[0], ToolCall)
    assert whole == wires.assembled(wires.events(b"data: " + call + b"\n\n"))
