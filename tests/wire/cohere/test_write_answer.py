"""Whole answers for callers, read by the SDK's own types."""

import json

from cohere import V2ChatResponse
from cohere.core.unchecked_base_model import construct_type

from trivium.conversation.answer import Answer, Candidate
from trivium.conversation.calls import CallKind, ToolCall
from trivium.conversation.finish import Finish, Unified
from trivium.conversation.opaque import Opaque, StateOrigin
from trivium.conversation.parts import (
    Audio,
    Citation,
    Image,
    Inline,
    Reasoning,
    Refusal,
    SearchResult,
    Text,
    TokenLogprob,
)
from trivium.conversation.usage import Usage
from trivium.wire.cohere.write_answer import call_id, plain, write

SIGNED = (Opaque("signature", b"s", StateOrigin("messages", "anthropic", "main")),)


def told(context, *parts, finish=Unified.STOP, usage=None):
    """What the SDK makes of an answer."""
    answer = Answer((Candidate(parts, Finish(finish)),), usage)
    return construct_type(type_=V2ChatResponse, object_=json.loads(write(answer, context)))


def test_words_and_counts(telling):
    """And the id of the request."""
    found = told(telling(), Text("a"), Text("b"), usage=Usage(fresh=3, cache_read=2, output=7))
    assert [one.text for one in found.message.content] == ["a", "b"]
    assert (found.id, found.finish_reason) == ("7", "COMPLETE")
    assert found.usage.billed_units.input_tokens == 5
    assert found.usage.cached_tokens == 2
    assert told(telling(), Text("a")).usage.billed_units.input_tokens > 0


def test_a_plan_and_its_calls(telling):
    """What is sealed travels in members that the SDK sends back."""
    found = told(
        telling(), Reasoning("Hm.", opaque=SIGNED), Text("p"), ToolCall("c", "f", '{"a":1}')
    )
    message = found.message
    assert (message.tool_plan, found.finish_reason) == ("p", "TOOL_CALL")
    (thought,) = message.content
    assert thought.thinking == "Hm."
    assert message.model_dump()["content"][0]["signature"].startswith("sealed:")
    (call,) = message.tool_calls
    assert (call.id, call.function.name, call.function.arguments) == ("c", "f", '{"a":1}')
    several = told(telling(), Text("a"), Text("b"), ToolCall("c", "f"))
    assert several.message.tool_plan is None
    assert len(several.message.content) == 2


def test_citations_of_the_callers_documents(telling):
    """By the title under which they were shown."""
    context = telling(documents=[{"id": "d1", "data": {"title": "T", "text": "x"}}])
    found = told(context, Text("abc", (Citation(title="T", start=0, end=2),)))
    (cited,) = found.message.citations
    assert (cited.text, cited.content_index, cited.sources[0].id) == ("ab", 0, "d1")
    planned = told(context, Text("abc", (Citation(title="T"),)), ToolCall("c", "f"))
    assert planned.message.citations[0].type == "PLAN"


def test_probabilities(telling):
    """Each token by itself."""
    text = Text("ab", logprobs=(TokenLogprob("a", -0.5), TokenLogprob("b", -1.0)))
    found = told(telling(), text)
    assert [(one.text, one.logprobs) for one in found.logprobs] == [("a", [-0.5]), ("b", [-1.0])]


def test_what_it_has_no_place_for(telling):
    """Words, or a note that there was something."""
    assert plain(Refusal("no")) == "no"
    assert plain(Audio(None, "said", "a")) == "said"
    assert plain(SearchResult("s", "t", (Text("x"),))) == "x"
    assert "Image output" in plain(Image(Inline("image/gif", "R0lG")))
    call = ToolCall("", "f", "raw", CallKind.CUSTOM)
    found = told(telling(), call).message.tool_calls[0]
    assert found.function.arguments == '{"input":"raw"}'
    assert found.id == call_id(call, telling(), 0) == "call_70"
    assert told(telling(), Reasoning(""), Text("a")).message.content[0].type == "text"
