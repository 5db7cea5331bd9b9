"""The order of events that clients of each shape rely on, checked on a whole stream.

Sources: the vendors' references and what their SDKs assert, read on 2026-11-21.
"""

import json

from end_to_end.features import amazon
from end_to_end.features.refusing import Broken
from trivium.wire import sse

ENDS = {"response.completed", "response.incomplete", "response.failed"}


class Illegal(Exception):
    """A stream that a client could not read; says where."""


def check(shape, wire):
    """Raise ``Illegal`` unless this is one whole stream of the shape, ended once."""
    if shape == "converse":
        try:
            amazon.heard(wire)
        except Broken as unlike:
            raise Illegal(str(unlike)) from None
        return
    frames = list(sse.frames(wire))
    must(frames, "nothing was said")
    {
        "chat": _chat,
        "responses": _responses,
        "messages": _messages,
        "generate": _generate,
        "cohere": _cohere,
    }[shape](frames)


def must(holds, what):
    """Raise ``Illegal`` unless it holds."""
    if not holds:
        raise Illegal(what)


def _chat(frames):
    data = [frame.data for frame in frames]
    must(data.count(b"[DONE]") == 1 and data[-1] == b"[DONE]", "[DONE] is not once, and last")
    must(not any(frame.event for frame in frames), "a frame has a name")
    ended, calls, begun = set(), {}, set()
    chunks = [json.loads(one) for one in data[:-1]]
    must(len({chunk["id"] for chunk in chunks}) == 1, "the id changes")
    for chunk in chunks:
        must(chunk["object"] == "chat.completion.chunk", "another object")
        for choice in chunk["choices"]:
            at, delta = choice["index"], choice["delta"]
            must(at not in ended, f"choice {at} goes on after its end")
            must(("role" in delta) is (at not in begun), f"the role of choice {at}")
            begun.add(at)
            for call in delta.get("tool_calls", ()):
                known = calls.setdefault(at, [])
                place = call["index"]
                must(place <= len(known), f"call {place} comes too early")
                if place == len(known):
                    must(call.get("id") and call[call["type"]]["name"], f"call {place} is nameless")
                    known.append(call["id"])
                else:
                    must("id" not in call or call["id"] == known[place], f"call {place} changes")
            if choice.get("finish_reason"):
                ended.add(at)
    must(begun and begun == ended, f"choices {begun} ended {ended}")


def _responses(frames):
    events = [json.loads(frame.data) for frame in frames]
    names = [frame.event.decode() for frame in frames]
    kinds = [event["type"] for event in events]
    must(kinds == names, "a name is not its type")
    numbers = [event["sequence_number"] for event in events]
    must(numbers == list(range(len(events))), "numbers have gaps")
    must(kinds[:2] == ["response.created", "response.in_progress"], f"it begins with {kinds[:2]}")
    must(kinds[-1] in ENDS and len(ENDS & set(kinds)) == 1, f"it ends with {kinds[-1]}")
    must(sum(kind in ENDS for kind in kinds) == 1, "it ends twice")
    open_, done = {}, {}
    for event, kind in zip(events, kinds, strict=True):
        at = event.get("output_index")
        if kind == "response.output_item.added":
            must(at == len(open_) + len(done), f"item {at} is out of turn")
            open_[at] = {"id": event["item"]["id"], "said": {}}
        elif kind == "response.output_item.done":
            must(at in open_, f"item {at} ends unopened")
            must(open_.pop(at)["id"] == event["item"]["id"], f"item {at} changes its id")
            done[at] = event["item"]
        elif at is not None:
            must(at in open_ and event["item_id"] == open_[at]["id"], f"{kind} outside of its item")
            _said(event, kind, open_[at]["said"])
    must(not open_, f"items {sorted(open_)} never end")
    output = events[-1]["response"]["output"]
    must(output == [done[at] for at in sorted(done)], "the output is not what was told")


def _said(event, kind, said):
    """Deltas join to what their ``done`` says."""
    place = (kind.rpartition(".")[0], event.get("content_index"), event.get("summary_index"))
    if kind.endswith(".delta"):
        said[place] = said.get(place, "") + event["delta"]
    elif kind.endswith(".done") and "part" not in event:
        for member in ("text", "arguments", "input", "refusal"):
            if member in event:
                must(said.get(place, "") == event[member], f"{kind} is not the sum of its deltas")


DELTAS = {
    "text": {"text_delta", "citations_delta"},
    "thinking": {"thinking_delta", "signature_delta"},
    "tool_use": {"input_json_delta"},
    "server_tool_use": {"input_json_delta"},
}


def _messages(frames):
    events = [json.loads(frame.data) for frame in frames]
    must(
        [e["type"] for e in events] == [f.event.decode() for f in frames], "a name is not its type"
    )
    events = [event for event in events if event["type"] != "ping"]
    kinds = [event["type"] for event in events]
    must(kinds[0] == "message_start" and kinds.count("message_start") == 1, "the start")
    must(kinds[-2:] == ["message_delta", "message_stop"], f"it ends with {kinds[-2:]}")
    must(kinds.count("message_stop") == 1, "it stops twice")
    must(events[-2]["delta"]["stop_reason"], "no reason to stop")
    count, block, text = 0, None, ""
    for event in events[1:-2]:
        kind = event["type"]
        must(event.get("index") == count, f"{kind} of block {event.get('index')}, not {count}")
        if kind == "content_block_start":
            must(block is None, "two blocks are open")
            block, text = event["content_block"], ""
        elif kind == "content_block_delta":
            must(block is not None, "a delta without a block")
            must(event["delta"]["type"] in DELTAS.get(block["type"], ()), "a delta of another kind")
            text += event["delta"].get("partial_json", "")
        else:
            must(kind == "content_block_stop" and block is not None, f"{kind} in the middle")
            # the limit may fall into a call; SDKs keep what there is of it
            if block["type"] == "tool_use" and events[-2]["delta"]["stop_reason"] != "max_tokens":
                must(isinstance(json.loads(text or "{}"), dict), "a call's input is no object")
            block, count = None, count + 1
    must(block is None, "a block never ends")


def _generate(frames):
    must(not any(frame.event for frame in frames), "a frame has a name")
    chunks = [json.loads(frame.data) for frame in frames]
    must(not any("error" in chunk for chunk in chunks), "an error in a good stream")
    ended = {}
    for chunk in chunks:
        for candidate in chunk.get("candidates", ()):
            at = candidate.get("index", 0)
            must(at not in ended, f"candidate {at} goes on after its end")
            for part in candidate.get("content", {}).get("parts", ()):
                must(part, "an empty part")
            if "finishReason" in candidate:
                ended[at] = candidate["finishReason"]
            else:
                ended.pop(at, None)
    must("promptFeedback" in chunks[-1] or ended, "no candidate ended")


PLACES = {"content": "content", "tool-call": "tool_calls", "citation": "citations"}
"""Kinds of Cohere's events that begin, go on and end, and where what they tell stands."""


def _cohere(frames):
    events = [json.loads(frame.data) for frame in frames]
    kinds = [event["type"] for event in events]
    must(kinds == [frame.event.decode() for frame in frames], "a name is not its type")
    must(kinds[0] == "message-start" and kinds.count("message-start") == 1, "the start")
    must(kinds[-1] == "message-end" and kinds.count("message-end") == 1, "the end")
    must(events[0]["delta"]["message"]["role"] == "assistant" and events[0]["id"], "no message")
    must(
        events[-1]["delta"]["finish_reason"] and events[-1]["delta"]["usage"], "no reason or usage"
    )
    counts, open_, text = dict.fromkeys(PLACES, 0), {}, ""
    for event, kind in zip(events[1:-1], kinds[1:-1], strict=True):
        if kind == "tool-plan-delta":
            must(isinstance(event["delta"]["message"]["tool_plan"], str), "a plan without words")
            continue
        what, _, step = kind.rpartition("-")
        must(what in PLACES, f"an event {kind}")
        if step == "start":
            must(what not in open_, f"two of {what} are open")
            must(event["index"] == counts[what], f"{what} {event['index']} is out of turn")
            open_[what] = event["delta"]["message"][PLACES[what]]
            if what == "tool-call":
                text = open_[what]["function"]["arguments"]
                must(open_[what]["id"] and open_[what]["function"]["name"], "a nameless call")
            continue
        must(what in open_ and event["index"] == counts[what], f"{kind} outside of its block")
        if step == "end":
            counts[what] += 1
            if what == "tool-call" and events[-1]["delta"]["finish_reason"] != "MAX_TOKENS":
                must(isinstance(json.loads(text or "{}"), dict), "arguments are no object")
            del open_[what]
        elif what == "tool-call":
            text += event["delta"]["message"]["tool_calls"]["function"]["arguments"]
        else:
            said = event["delta"]["message"]["content"]
            must(open_["content"]["type"] in said, f"{sorted(said)} in another content")
    must(not open_, f"{sorted(open_)} never end")
