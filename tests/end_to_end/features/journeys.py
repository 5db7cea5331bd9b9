"""Features that need more than one request or answer: state that comes back, trouble, silence.

A journey is a function of (upstream, caller) that gives its verdict.
"""

import json

import msgspec
import pytest

from end_to_end.features import answering, conversing, rules, streams, telling
from end_to_end.features.asking import SHAPES, function, said
from end_to_end.features.canonical import differences, of_answer
from end_to_end.features.requests import REQUESTS
from end_to_end.features.silences import heartbeats
from end_to_end.features.troubles import EXCEPTIONS, NAMED, PIECES, REFUSALS, STATUS, broken
from end_to_end.features.verdicts import (
    GREETING,
    KEYS,
    LOSSLESS,
    LOST,
    NO_WORDS,
    PROVIDER,
    USER,
    Cell,
    conversation,
    heard,
    origin,
    reading,
    retold,
    writing,
    written,
)
from trivium.conversation.answer_losses import LossReporter
from trivium.conversation.calls import CallKind, ToolCall
from trivium.conversation.events import Delta, PartStart, spelled
from trivium.conversation.fit import fitted
from trivium.conversation.losses import Report
from trivium.conversation.opaque import StateOrigin
from trivium.conversation.target import target
from trivium.pipeline.continuation import Continue, Rounds
from trivium.pipeline.translation import TranslatedStream
from trivium.providers.base import VendorRefusal
from trivium.providers.registry import PROVIDERS
from trivium.wire import aws_errors, errors
from trivium.wire.codecs import CODECS
from trivium.wire.envelope import opener
from trivium.wire.operation import Shape

CALL = answering.function("call_1", "look", '{"city":"Köln"}', {"city": "Köln"})
SECRET = "b3BhcXVl"
"""What only its maker can read; base64, as some vendors check."""
REASONING_ITEM = {
    "type": "reasoning",
    "id": "rs_1",
    "summary": telling.SUMMARY,
    "encrypted_content": SECRET,
}
DETAILS = [{"type": "reasoning.encrypted", "data": SECRET, "format": "x", "index": 0}]
SIGNED = {
    "chat": answering.chat(
        {"reasoning_content": "Hm.", "reasoning_details": DETAILS, "tool_calls": [CALL["chat"]]},
        "tool_calls",
    ),
    "responses": answering.responses(REASONING_ITEM, CALL["responses"]),
    "messages": answering.messages(
        {"type": "thinking", "thinking": "Hm.", "signature": SECRET},
        CALL["messages"],
        stop="tool_use",
    ),
    "generate": answering.generate(
        {"text": "Hm.", "thought": True}, CALL["generate"] | {"thoughtSignature": SECRET}
    ),
    "cohere": answering.cohere(
        {"type": "thinking", "thinking": "Hm."}, calls=[CALL["cohere"]], finish="TOOL_CALL"
    ),
    "converse": answering.converse(
        answering.thought("Hm.", SECRET), CALL["converse"], stop="tool_use"
    ),
}
HIDDEN = {
    "responses": answering.responses(REASONING_ITEM | {"summary": []}, CALL["responses"]),
    "messages": answering.messages(
        {"type": "redacted_thinking", "data": SECRET}, CALL["messages"], stop="tool_use"
    ),
    "generate": answering.generate(CALL["generate"] | {"thoughtSignature": SECRET}),
    "converse": answering.converse(
        {"reasoningContent": {"redactedContent": SECRET}}, CALL["converse"], stop="tool_use"
    ),
}
KEPT = {
    "chat": lambda body: body["messages"][1]["reasoning_details"] == DETAILS,
    "responses": lambda body: any(
        item.get("encrypted_content") == SECRET and item["id"] == "rs_1" for item in body["input"]
    ),
    "messages": lambda body: (
        SECRET in (body["messages"][1]["content"][0].get(name) for name in ("signature", "data"))
    ),
    "generate": lambda body: any(
        part.get("thoughtSignature") == SECRET and "functionCall" in part
        for part in body["contents"][1]["parts"]
    ),
    "converse": lambda body: SECRET in json.dumps(body["messages"][1]["content"][0]),
    "cohere": lambda body: (
        body["messages"][1]["content"] == [{"type": "thinking", "thinking": "Hm."}]
    ),
}
"""Whether an upstream's second request has its own secret where it was."""


def echoed(shape, answer):
    """The next request of a client that appends what it got, and the tool's result."""
    if shape == "converse":
        body = conversing.tooled()
    else:
        body = said(shape, ("user", "Weather?"), tools=[function(shape)])
    if shape == "chat":
        found = answer["choices"][0]["message"]
        call = found["tool_calls"][0]["id"]
        body["messages"] += [found, {"role": "tool", "tool_call_id": call, "content": "Sunny."}]
    elif shape == "responses":
        (call,) = [one["call_id"] for one in answer["output"] if one["type"] == "function_call"]
        body["input"] += [
            *answer["output"],
            {"type": "function_call_output", "call_id": call, "output": "Sunny."},
        ]
    elif shape == "cohere":
        call = answer["message"]["tool_calls"][0]["id"]
        result = {"role": "tool", "tool_call_id": call, "content": "Sunny."}
        body["messages"] += [answer["message"], result]
    elif shape == "messages":
        (call,) = [one["id"] for one in answer["content"] if one["type"] == "tool_use"]
        result = {"type": "tool_result", "tool_use_id": call, "content": "Sunny."}
        body["messages"] += [
            {"role": "assistant", "content": answer["content"]},
            {"role": "user", "content": [result]},
        ]
    elif shape == "converse":
        found = answer["output"]["message"]
        (call,) = [one["toolUse"]["toolUseId"] for one in found["content"] if "toolUse" in one]
        result = {"toolResult": {"toolUseId": call, "content": [{"text": "Sunny."}]}}
        body["messages"] += [found, {"role": "user", "content": [result]}]
    else:
        found = answer["candidates"][0]["content"]
        (call,) = [one["functionCall"] for one in found["parts"] if "functionCall" in one]
        result = {"name": call["name"], "response": {"output": "Sunny."}}
        if "id" in call:
            result["id"] = call["id"]
        body["contents"] += [found, {"role": "user", "parts": [{"functionResponse": result}]}]
    return body


def _returning(bodies):
    def journey(upstream, caller):
        body = bodies.get(upstream)
        if body is None:
            return Cell(NO_WORDS)
        if caller == upstream:
            return Cell(LOSSLESS)
        data = msgspec.json.encode(body)
        answer = CODECS[Shape(upstream)].read_answer(data, reading(upstream))
        told = json.loads(CODECS[Shape(caller)].write_answer(answer, writing(caller)))
        assert SECRET not in json.dumps(told), "an upstream's secret is shown to the caller"
        spoken = conversation(caller, echoed(caller, told), open=opener(KEYS, USER))
        back, _ = written(spoken, upstream)
        rules.check(upstream, back)
        _nobody_else(spoken, upstream)
        return Cell(LOSSLESS) if KEPT[upstream](back) else Cell(LOST, "the secret")

    return journey


def _nobody_else(spoken, upstream):
    """Neither another shape, nor another account of the same, nor another user's key."""
    for shape in SHAPES:
        if shape != upstream:
            assert SECRET not in json.dumps(written(spoken, shape)[0]), shape
    other = StateOrigin(upstream, PROVIDER[upstream], "other")
    assert SECRET not in json.dumps(written(spoken, upstream, at=other)[0]), "another account"


CUSTOM = {
    "chat": answering.chat(
        {
            "tool_calls": [
                {
                    "id": "call_1",
                    "type": "custom",
                    "custom": {"name": "sql", "input": "SELECT 1"},
                }
            ]
        },
        "tool_calls",
    ),
    "responses": answering.responses(
        {"type": "custom_tool_call", "call_id": "call_1", "name": "sql", "input": "SELECT 1"}
    ),
}


def custom_call(upstream, caller):
    """A free-text tool is called as one, whatever it had to be for the upstream."""
    asked = next(case for case in REQUESTS if case.title == "custom tools").bodies.get(caller)
    if asked is None:
        return Cell(NO_WORDS)
    body = CUSTOM.get(upstream)
    if body is None:
        found = answering.function("call_1", "sql", '{"input":"SELECT 1"}', {"input": "SELECT 1"})[
            upstream
        ]
        body = (
            answering.cohere(calls=[found], finish="TOOL_CALL")
            if upstream == "cohere"
            else getattr(answering, upstream)(found)
        )
    if caller == upstream:
        return Cell(LOSSLESS)
    answer = CODECS[Shape(upstream)].read_answer(msgspec.json.encode(body), reading(upstream))
    context = writing(caller, asked=asked)
    told = CODECS[Shape(caller)].write_answer(answer, context)
    (part,) = CODECS[Shape(caller)].read_answer(told, reading(caller)).candidates[0].parts
    assert isinstance(part, ToolCall)
    if (part.kind, part.arguments) == (CallKind.CUSTOM, "SELECT 1"):
        return Cell(LOSSLESS)
    return Cell(LOST, f"a {part.kind.value} call with {part.arguments}")


def streamed_arguments(upstream, caller):
    """Pieces of arguments are told as they come, not saved up; generate has whole calls alone."""
    body = answering.calling(("call_1", "look", '{"city":"Köln"}', {"city": "Köln"}))[upstream]
    wire = streams.stream(upstream, body)
    pieces = []
    for shape, frames in ((upstream, wire), (caller, retold(upstream, caller, wire))):
        reader = CODECS[Shape(shape)].read_stream(reading(shape))
        events = spelled(reader.feed(frames) + reader.end(None))
        calls = {
            event.index
            for event in events
            if type(event) is PartStart and isinstance(event.part, ToolCall)
        }
        pieces.append(sum(type(event) is Delta and event.index in calls for event in events))
    given, got = pieces
    if caller == "generate" and upstream != "generate":
        return Cell(LOSSLESS) if got == 1 else Cell(LOST, f"{given} pieces became {got}")
    return Cell(LOSSLESS) if given == got else Cell(LOST, f"{given} pieces became {got}")


def error_in_stream(upstream, caller):
    """What was said before it arrives; then the caller's own error, of the same kind, once."""
    told = streams.frames(upstream, telling.TELLINGS[0].bodies[upstream])[: PIECES[upstream]]
    wire = b"".join([*told, broken(upstream)])
    given = heard(upstream, wire)
    if caller == upstream:
        return Cell(LOSSLESS)
    got = heard(caller, retold(upstream, caller, wire))
    assert given.fault is not None
    found = differences(
        of_answer(given.answer())["candidates"], of_answer(got.answer())["candidates"]
    )
    assert got.fault is not None
    if "cohere" not in (upstream, caller):
        # that shape's stream has one word for all trouble
        found += differences(given.fault.kind.name, got.fault.kind.name)
    return Cell(LOST, "; ".join(found)) if found else Cell(LOSSLESS)


def error_before_answer(upstream, caller):
    """Status and kind of a refusal, as the caller's SDK reads them."""
    for status, (kind, word) in REFUSALS.items():
        error = {"type": kind, "message": "No.", "code": None, "param": None}
        if upstream == "generate":
            error = {"code": status, "message": "No.", "status": word}
        body = {"type": "error", "error": error}
        if upstream in ("converse", "cohere"):
            body = {"message": "No."}
        headers = {"x-amzn-errortype": EXCEPTIONS[status]} if upstream == "converse" else {}
        refused = VendorRefusal(status=status, headers=headers, body=msgspec.json.encode(body))
        fault = PROVIDERS[PROVIDER[upstream]].failure(refused)
        told = json.loads(errors.body(fault, "req_1", Shape(caller)))
        told = told if caller in NAMED else told["error"]
        if fault.status != STATUS[status]:
            return Cell(LOST, f"{status} became {fault.status}")
        if caller == "converse":
            names = [value for name, value in aws_errors.headers(fault) if b"errortype" in name]
            if names != [EXCEPTIONS[status].encode()]:
                return Cell(LOST, f"{status} became {names}")
        elif caller == "cohere" and fault.message not in told["message"]:
            return Cell(LOST, f"{told} says too little")
        if not NAMED.get(caller, {"message", "status", "type", "code"}) <= told.keys():
            return Cell(LOST, f"{told} says too little")
    return Cell(LOSSLESS)


ROUNDS = {
    "messages": (
        answering.messages("One", stop="pause_turn"),
        answering.messages(" two."),
        lambda body: body["messages"][-1]["content"] in ("One", [{"type": "text", "text": "One"}]),
    ),
    "generate": (
        answering.generate("One", finish="CONTINUATION", continuationToken="dG9r"),
        answering.generate(" two."),
        lambda body: body["continuationToken"] == "dG9r",
    ),
}
"""Two rounds of one turn, and whether the second request goes on after the first."""


def paused(upstream, caller):
    """A turn that the vendor pauses is one answer to whoever has no word for a pause."""
    if upstream not in ROUNDS:
        return Cell(NO_WORDS)
    if caller == upstream:
        return Cell(LOSSLESS)
    first, second, goes_on = ROUNDS[upstream]
    found = []
    for told in (_rounds_whole, _rounds_streamed):
        asked, given, answer = told(upstream, caller, first, second)
        if not goes_on(json.loads(asked)):
            return Cell(LOST, f"asked to go on by {asked}")
        (candidate,) = answer.candidates
        words = "".join(part.text for part in candidate.parts)
        found += differences(("One two.", "stop"), (words, candidate.finish.unified.value))
        found += differences(2 * given.output_total, answer.usage.output_total)
    return Cell(LOST, "; ".join(found)) if found else Cell(LOSSLESS)


def _rounds(upstream, caller):
    spoken = conversation(caller, GREETING[caller])
    goal = target(origin(upstream), "m", prefill=True)

    def body(said):
        report = Report(goal.title)
        return CODECS[Shape(upstream)].write_request(fitted(said, goal, report), goal, report)

    return Rounds(spoken, Shape(upstream), body)


def _rounds_whole(upstream, caller, *bodies):
    rounds = _rounds(upstream, caller)
    read = CODECS[Shape(upstream)].read_answer
    first, second = (read(msgspec.json.encode(body), reading(upstream)) for body in bodies)
    with pytest.raises(Continue) as more:
        rounds.whole(first)
    told = CODECS[Shape(caller)].write_answer(rounds.whole(second), writing(caller))
    answer = CODECS[Shape(caller)].read_answer(told, reading(caller))
    return more.value.body, first.usage, answer


def _rounds_streamed(upstream, caller, *bodies):
    stream = TranslatedStream(
        lambda: CODECS[Shape(upstream)].read_stream(reading(upstream)),
        CODECS[Shape(caller)].write_stream(writing(caller)),
        LossReporter(CODECS[Shape(caller)].places, Report("the upstream")),
        {},
        rounds=_rounds(upstream, caller),
    )
    out = stream.feed(streams.stream(upstream, bodies[0]))
    with pytest.raises(Continue) as more:
        stream.end(None, "")
    out += more.value.rest + stream.feed(streams.stream(upstream, bodies[1]))
    out += stream.end(None, "")
    given = heard(upstream, streams.stream(upstream, bodies[0])).answer().usage
    return more.value.body, given, heard(caller, out).answer()


JOURNEYS = (
    ("a turn that the vendor pauses", paused),
    ("custom call", custom_call),
    ("streamed arguments", streamed_arguments),
    ("signed reasoning, back in the next turn", _returning(SIGNED)),
    ("hidden reasoning, back in the next turn", _returning(HIDDEN)),
    ("error before the answer", error_before_answer),
    ("error in the stream", error_in_stream),
    ("heartbeats", heartbeats),
)
"""Title and function, in the order of the table in docs/translation.md."""
