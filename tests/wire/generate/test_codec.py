"""The codec as a whole: read by the official SDK, and carrying state over several turns."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar

import pytest

from end_to_end.sdk.clients import genai
from trivium.conversation.answer import Answer, Candidate
from trivium.conversation.answer_events import replayed
from trivium.conversation.calls import ToolCall
from trivium.conversation.events import (
    Delta,
    Failed,
    Finished,
    KeepAlive,
    PartEnd,
    PartStart,
    Start,
)
from trivium.conversation.finish import Finish, Unified
from trivium.conversation.fit import fitted
from trivium.conversation.items import Role
from trivium.conversation.losses import Report
from trivium.conversation.opaque import SIGNATURE, Opaque
from trivium.conversation.parts import Reasoning, ReasoningForm, Text
from trivium.faults import Fault, Kind
from trivium.wire.generate.codec import CODEC
from trivium.wire.operation import Shape

errors, types = genai.errors, genai.types


class Vendor(BaseHTTPRequestHandler):
    """Answers every request with the same bytes, and keeps what it was asked."""

    answer = b""
    kind = "text/event-stream"
    asked: ClassVar[list[bytes]] = []

    def do_POST(self):
        self.asked.append(self.rfile.read(int(self.headers["content-length"])))
        self.send_response(200)
        self.send_header("content-type", self.kind)
        self.send_header("content-length", str(len(self.answer)))
        self.end_headers()
        self.wfile.write(self.answer)

    def log_message(self, *args):
        pass


@pytest.fixture(scope="module")
def sdk():
    """The official client, in front of bytes of ours."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Vendor)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    url = f"http://127.0.0.1:{server.server_port}"
    client = genai.Client(api_key="key", http_options=types.HttpOptions(base_url=url))
    yield client
    client.close()
    server.shutdown()
    server.server_close()
    thread.join()


def streamed(sdk, run):
    Vendor.answer, Vendor.kind = run, "text/event-stream"
    return list(sdk.models.generate_content_stream(model="g", contents="hi"))


def whole(sdk, body):
    Vendor.answer, Vendor.kind = body, "application/json"
    return sdk.models.generate_content(model="g", contents="hi")


WIRES = ["text", "thoughts", "parallel-calls", "max-tokens", "media", "words", "candidates"]


@pytest.mark.parametrize("name", WIRES)
def test_google_genai_reads_a_written_stream(wires, sdk, name):
    """Trap 93, 97: chunk by chunk, with heartbeats in between."""
    events = wires.events(wires.fixture(f"{name}.sse"))
    first = wires.assembled(events)
    alive = [one for event in events for one in (event, KeepAlive())][:-1]
    chunks = streamed(sdk, wires.streamed(alive))
    seen = [
        [(part.text or "", part.thought is True, part.function_call) for part in _parts(chunks, at)]
        for at in range(len(first.candidates))
    ]
    for candidate, parts in zip(first.candidates, seen, strict=True):
        for kind, thought in ((Text, False), (Reasoning, True)):
            assert "".join(
                part.text for part in candidate.parts if isinstance(part, kind)
            ) == "".join(text for text, thinking, _ in parts if thinking is thought)
        assert [
            (part.name, json.loads(part.arguments))
            for part in candidate.parts
            if isinstance(part, ToolCall)
        ] == [(call.name, call.args) for _, _, call in parts if call is not None]
    assert {"gemini-pro"} == {chunk.model_version for chunk in chunks}
    assert first.usage.output_total == (
        chunks[-1].usage_metadata.candidates_token_count
        + (chunks[-1].usage_metadata.thoughts_token_count or 0)
    )


def _parts(chunks, at):
    return [
        part
        for chunk in chunks
        for candidate in chunk.candidates or ()
        if (candidate.index or 0) == at
        for part in candidate.content.parts or ()
    ]


def weather(city: str) -> str:
    """What it is like out there."""
    return f"{city}: fair"


@pytest.mark.parametrize("tools", [None, [weather]])
def test_a_silence_costs_google_genai_no_turn_of_a_chat(wires, sdk, tools):
    """Its chats leave a turn out of what they send next if any chunk had nothing to read, and its
    users put the texts of the chunks together without a look.
    """
    events = wires.events(wires.fixture("text.sse"))
    alive = [one for event in events for one in (KeepAlive(), event)]
    Vendor.answer, Vendor.kind = wires.streamed(alive), "text/event-stream"
    config = {"tools": tools, "automatic_function_calling": {"disable": tools is None}}
    chat = sdk.chats.create(model="g", config=config)
    said = "".join([chunk.text for chunk in chat.send_message_stream("First?")])
    list(chat.send_message_stream("Second?"))
    first, *answer, second = wires.read(Vendor.asked[-1]).turns
    assert [(Text("First?"),), (Text("Second?"),)] == [first.parts, second.parts]
    assert said == "".join(part.text for turn in answer for part in turn.parts)


@pytest.mark.parametrize("before", [0, 2])
def test_google_genai_raises_an_error_in_the_stream(wires, sdk, before):
    """Trap 104: with the status it stands for."""
    events = [Start(), PartStart(0, Text(text=""))][:before]
    run = wires.streamed([*events, Failed(Fault(Kind.UPSTREAM_OVERLOADED, "Overloaded."))])
    with pytest.raises(errors.ServerError) as caught:
        streamed(sdk, run)
    assert (503, "UNAVAILABLE") == (caught.value.code, caught.value.status)


@pytest.mark.parametrize("name", ["text", "calls", "thoughts", "media", "blocked", "safety", "empty", "unknown", "grounded", "probable"])  # fmt: skip
def test_google_genai_reads_a_written_answer(wires, sdk, name):
    """Its typed models take every one."""
    answer = wires.answer(wires.fixture(f"{name}.json"))
    found = whole(sdk, wires.whole(answer))
    texts = [part.text for part in answer.candidates[0].parts if type(part) is Text]
    assert "".join(texts) == "".join(
        part.text or "" for part in found.candidates[0].content.parts or () if not part.thought
    )
    if answer.usage is not None:
        assert answer.usage.input_total == found.usage_metadata.prompt_token_count


def test_what_google_genai_sends_back_is_read(wires, sdk):
    """Trap 82, 93: its own history, with signatures in its own alphabet, its tools and settings."""
    answer = wires.answer(wires.fixture("calls.json"))
    found = whole(sdk, wires.whole(answer))
    Vendor.asked.clear()
    sdk.models.generate_content(
        model="g",
        contents=[
            types.Content(role="user", parts=[types.Part(text="hi"), types.Part.from_bytes(data=b"\xfb\xff\xbf", mime_type="image/png")]),
            found.candidates[0].content,
            types.Content(role="user", parts=[types.Part.from_function_response(name="f", response={"output": "ok"})]),
        ],
        config=types.GenerateContentConfig(
            system_instruction="Be brief.",
            temperature=0.5,
            top_k=5,
            thinking_config=types.ThinkingConfig(include_thoughts=True, thinking_budget=2048),
            tools=[types.Tool(function_declarations=[types.FunctionDeclaration(name="f", parameters=types.Schema(type="OBJECT", properties={"a_b": types.Schema(type="STRING", min_length=2)}))])],
            tool_config=types.ToolConfig(function_calling_config=types.FunctionCallingConfig(mode="ANY", allowed_function_names=["f"])),
        ),
    )  # fmt: skip
    spoken = wires.read(Vendor.asked[-1])
    assert "+/+/" == spoken.turns[0].parts[1].source.data
    assert answer.candidates[0].parts == spoken.turns[1].parts
    assert () == spoken.extensions
    assert {
        "type": "object",
        "properties": {"a_b": {"type": "string", "minLength": 2}},
    } == json.loads(spoken.tools[0].parameters)
    assert (("f",), 5, 2048) == (
        spoken.tool_choice.names,
        spoken.sampling.top_k,
        spoken.reasoning.budget,
    )


@pytest.mark.parametrize("keeps_thoughts", [True, False])
@pytest.mark.parametrize("streams", [True, False])
def test_thoughts_and_signatures_over_three_turns(wires, keeps_thoughts, streams):
    """Trap 82: another vendor's signatures come back to it, for callers that drop thoughts as well."""
    contents = [{"role": "user", "parts": [{"text": "go"}]}]
    signed = []
    for turn in range(3):
        sig = Opaque(SIGNATURE, f"sig{turn}".encode(), wires.other, "claude-x")
        signed.append(sig)
        answer = Answer(
            (
                Candidate(
                    (
                        Reasoning(text=f"Plan {turn}.", form=ReasoningForm.FULL, opaque=(sig,)),
                        *([ToolCall(id=f"c{turn}", name="f", arguments="{}")] if turn < 2 else []),
                        *([Text(text="Done.")] if turn == 2 else []),
                    ),
                    Finish(Unified.STOP),
                ),
            )
        )
        parts = _answered(wires, answer, streams)
        if not keeps_thoughts:
            parts = [part for part in parts if not part.get("thought")]
        contents.append({"role": "model", "parts": parts})
        said = {"functionResponse": {"name": "f", "response": {"output": "ok"}}}
        contents.append({"role": "user", "parts": [said if turn < 2 else {"text": "thanks"}]})
    spoken = wires.read({"contents": contents})
    thoughts = [
        part
        for turn in spoken.turns
        if turn.role is Role.ASSISTANT
        for part in turn.parts
        if isinstance(part, Reasoning)
    ]
    assert signed == [one for part in thoughts for one in part.opaque]
    if keeps_thoughts:
        assert ["Plan 0.", "Plan 1.", "Plan 2."] == [part.text for part in thoughts]
    rows = [part for turn in spoken.turns for part in turn.parts]
    assert ["c0", "c1"] == [part.id for part in rows if isinstance(part, ToolCall)]
    # the vendor of this shape gets none of them
    body = wires.sent(fitted(spoken, wires.facts(), Report("x")))
    assert b"sig" not in body.replace(b"skip_thought_signature", b"")
    assert 2 == body.count(b"skip_thought_signature_validator")


@pytest.mark.parametrize("calls", [(), (ToolCall(id="c1", name="weather", arguments='{"city":"Rome"}'),)])  # fmt: skip
def test_what_a_chat_of_google_genai_keeps_piece_by_piece_is_one_turn_again(wires, sdk, calls):
    """Trap 82: its chats keep each chunk as a content of its own. What was thought stands before
    what was said, with the state that came last, as its maker demands of it.
    """
    kept = Opaque(SIGNATURE, b"sig", wires.other, "claude-x")
    said = (
        Reasoning("Let me think.", ReasoningForm.FULL, opaque=(kept,)),
        Text("I will look."),
        *calls,
    )
    answer = Answer((Candidate(said, Finish(Unified.STOP)),))
    told = [one for event in replayed(answer) for one in cut(event)]
    Vendor.answer, Vendor.kind = wires.streamed(told), "text/event-stream"
    chat = sdk.chats.create(model="g")
    list(chat.send_message_stream("First?"))
    list(chat.send_message_stream("Second?"))
    first, spoken, second = wires.read(Vendor.asked[-1]).turns
    assert [(Text("First?"),), (Text("Second?"),)] == [first.parts, second.parts]
    assert (
        Reasoning("Let me think.", ReasoningForm.SUMMARY, opaque=(kept,)),
        *said[1:],
    ) == spoken.parts


def cut(event):
    """A text in two pieces, and a sign of life between them."""
    if type(event) is not Delta or event.text.startswith("{"):
        return [event]
    at = len(event.text) // 2
    return [Delta(event.index, event.text[:at]), KeepAlive(), Delta(event.index, event.text[at:])]


def _answered(wires, answer, streams):
    """The parts as a caller keeps them."""
    if not streams:
        return wires.written(answer)["candidates"][0]["content"]["parts"]
    chunks = wires.chunks(wires.streamed(replayed(answer)))
    parts = [part for one in chunks for part in one["candidates"][0]["content"]["parts"]]
    return [part for part in parts if part != {"text": ""}]


def test_the_codec_is_of_its_shape():
    """The registry finds it by that."""
    assert Shape.GENERATE is CODEC.shape


def test_a_stream_cut_by_its_reader_is_an_error_for_the_caller(wires):
    """Reader and writer back to back."""
    events = wires.events(wires.fixture("cut.sse"))
    *_, last = wires.chunks(wires.streamed(events))
    assert 502 == last["error"]["code"]
    assert not any(type(event) in (Finished, PartEnd) for event in events)
