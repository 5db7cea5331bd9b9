"""A whole answer as its vendor streams it: texts and arguments in two pieces, frames in order.

Event orders are documented (OpenAI's, Anthropic's and Google's references, read on 2026-11-21) and
those of the recorded wires in tests/fixtures; Amazon's are those of botocore 1.44's model of the
service, Cohere's those of cohere-python 7.3.1, read on 2026-11-28.
"""

import json

from trivium.wire.event_stream import event


def frames(shape, body):
    """The frames of a stream that tells this answer."""
    return {
        "chat": _chat,
        "responses": _responses,
        "messages": _messages,
        "generate": _generate,
        "converse": _converse,
        "cohere": _cohere,
    }[shape](body)


def stream(shape, body):
    """The whole wire."""
    return b"".join(frames(shape, body))


def plain(data):
    """A frame without a name."""
    return b"data: " + json.dumps(data, ensure_ascii=False).encode() + b"\n\n"


def named(data):
    """A frame named by its type."""
    return b"event: " + data["type"].encode() + b"\n" + plain(data)


def halves(text):
    """Two pieces, or one of what cannot be cut."""
    at = len(text) // 2
    return [piece for piece in (text[:at], text[at:]) if piece]


def _chat(body):
    base = {name: body[name] for name in ("id", "created", "model")}
    base["object"] = "chat.completion.chunk"
    if "service_tier" in body:
        base["service_tier"] = body["service_tier"]
    out = []
    for choice in body["choices"]:
        at = choice["index"]

        def chunk(delta, reason=None, at=at, **more):
            row = {"index": at, "delta": delta, "finish_reason": reason} | more
            out.append(plain(base | {"choices": [row]}))

        _chat_choice(choice, chunk)
    out.append(plain(base | {"choices": [], "usage": body.get("usage")}))
    return [*out, b"data: [DONE]\n\n"]


def _chat_choice(choice, chunk):
    message = dict(choice["message"])
    chunk({"role": message.pop("role"), "content": ""})
    for name in ("reasoning_content", "refusal"):
        for piece in halves(message.pop(name, None) or ""):
            chunk({name: piece})
    text = message.pop("content", None) or ""
    if choice.get("logprobs"):
        chunk({"content": text}, logprobs=choice["logprobs"])
    else:
        for piece in halves(text):
            chunk({"content": piece})
    for number, call in enumerate(message.pop("tool_calls", None) or ()):
        kind = call["type"]
        inner = dict(call[kind])
        name = "arguments" if kind == "function" else "input"
        text = inner[name]
        chunk({"tool_calls": [call | {"index": number, kind: inner | {name: ""}}]})
        for piece in halves(text):
            chunk({"tool_calls": [{"index": number, kind: {name: piece}}]})
    if message:
        chunk(message)
    chunk({}, choice["finish_reason"])


def _responses(body):
    events = []
    opening = body | {"status": "in_progress", "output": [], "usage": None}
    opening |= {"incomplete_details": None}
    events.append({"type": "response.created", "response": opening})
    events.append({"type": "response.in_progress", "response": opening})
    for at, item in enumerate(body["output"]):
        events += _item(at, item)
    events.append({"type": f"response.{body['status']}", "response": body})
    return [named(event | {"sequence_number": at}) for at, event in enumerate(events)]


def _item(at, item):
    place = {"output_index": at}
    empty = item | {"status": "in_progress"}
    inner = []
    where = place | {"item_id": item["id"]}
    if item["type"] == "message":
        empty["content"] = []
        for index, part in enumerate(item["content"]):
            inner += _content(where | {"content_index": index}, part)
    elif item["type"] == "reasoning":
        empty |= {"summary": []}
        for index, part in enumerate(item["summary"]):
            inner += _grown(
                where | {"summary_index": index}, part, "reasoning_summary_part",
                "reasoning_summary_text", "text",
            )  # fmt: skip
    elif item["type"] in ("function_call", "custom_tool_call"):
        member = "arguments" if item["type"] == "function_call" else "input"
        name = "function_call_arguments" if member == "arguments" else "custom_tool_call_input"
        empty[member] = ""
        inner += [
            {"type": f"response.{name}.delta", **where, "delta": piece}
            for piece in halves(item[member])
        ]
        inner.append({"type": f"response.{name}.done", **where, member: item[member]})
    return [
        {"type": "response.output_item.added", **place, "item": empty},
        *inner,
        {"type": "response.output_item.done", **place, "item": item},
    ]


def _content(where, part):
    if part["type"] == "refusal":
        return _grown(where, part, "content_part", "refusal", "refusal")
    cited = [
        {
            "type": "response.output_text.annotation.added",
            **where,
            "annotation_index": number,
            "annotation": found,
        }
        for number, found in enumerate(part["annotations"])
    ]
    events = _grown(where, part, "content_part", "output_text", "text")
    at = len(events) - 2
    if part.get("logprobs"):
        # one delta, or the tokens would have to be dealt out
        events[1:at] = [
            {
                "type": "response.output_text.delta",
                **where,
                "delta": part["text"],
                "logprobs": part["logprobs"],
            }
        ]
        at = 2
    return [*events[:at], *cited, *events[at:]]


def _grown(where, part, holder, name, member):
    text = part[member]
    empty = part | {member: ""} | ({"annotations": []} if "annotations" in part else {})
    return [
        {"type": f"response.{holder}.added", **where, "part": empty},
        *({"type": f"response.{name}.delta", **where, "delta": piece} for piece in halves(text)),
        {"type": f"response.{name}.done", **where, member: text},
        {"type": f"response.{holder}.done", **where, "part": part},
    ]


def _messages(body):
    usage = body["usage"]
    first = {name: count for name, count in usage.items() if not name.startswith("output")}
    start = body | {"content": [], "stop_reason": None, "stop_sequence": None}
    start.pop("stop_details", None)
    out = [
        named({"type": "message_start", "message": start | {"usage": first | {"output_tokens": 1}}})
    ]
    for at, block in enumerate(body["content"]):
        empty, deltas = _block(block)
        out.append(named({"type": "content_block_start", "index": at, "content_block": empty}))
        out += [
            named({"type": "content_block_delta", "index": at, "delta": delta}) for delta in deltas
        ]
        out.append(named({"type": "content_block_stop", "index": at}))
    delta = {
        name: body[name]
        for name in ("stop_reason", "stop_sequence", "stop_details")
        if name in body
    }
    last = {name: count for name, count in usage.items() if name.startswith("output")}
    out.append(named({"type": "message_delta", "delta": delta, "usage": last}))
    return [*out, named({"type": "message_stop"})]


def _block(block):
    kind = block["type"]
    if kind == "text":
        deltas = [{"type": "text_delta", "text": piece} for piece in halves(block["text"])]
        cited = block.get("citations") or ()
        deltas += [{"type": "citations_delta", "citation": one} for one in cited]
        return {"type": "text", "text": ""}, deltas
    if kind in ("tool_use", "server_tool_use"):
        text = json.dumps(block["input"], ensure_ascii=False) if block["input"] else ""
        deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in halves(text)]
        return block | {"input": {}}, deltas
    if kind == "thinking":
        deltas = [
            {"type": "thinking_delta", "thinking": piece} for piece in halves(block["thinking"])
        ]
        deltas.append({"type": "signature_delta", "signature": block["signature"]})
        return {"type": "thinking", "thinking": "", "signature": ""}, deltas
    return block, []


def _generate(body):
    out = []
    base = {name: body[name] for name in ("modelVersion", "responseId")}
    if "promptFeedback" in body:
        return [plain(body)]
    candidates = body["candidates"]
    for candidate in candidates:
        row = {name: candidate[name] for name in ("index", "logprobsResult") if name in candidate}
        for part in candidate["content"]["parts"]:
            pieces = [part]
            if set(part) <= {"text", "thought"} and "logprobsResult" not in row:
                pieces = [part | {"text": piece} for piece in halves(part["text"])]
            for piece in pieces:
                content = {"content": {"role": "model", "parts": [piece]}}
                out.append(plain(base | {"candidates": [row | content]}))
    ends = [
        {name: value for name, value in one.items() if name not in ("content", "logprobsResult")}
        for one in candidates
    ]
    return [*out, plain(body | {"candidates": ends})]


def _converse(body):
    out = [told("messageStart", role="assistant")]
    for at, block in enumerate(body["output"]["message"]["content"]):
        ((kind, inner),) = block.items()
        begin, deltas = _converse_block(kind, inner)
        if begin is not None:
            out.append(told("contentBlockStart", contentBlockIndex=at, start={kind: begin}))
        out += [told("contentBlockDelta", contentBlockIndex=at, delta=delta) for delta in deltas]
        out.append(told("contentBlockStop", contentBlockIndex=at))
    names = ("stopReason", "additionalModelResponseFields")
    out.append(told("messageStop", **{name: body[name] for name in names if name in body}))
    names = ("usage", "metrics", "serviceTier")
    return [*out, told("metadata", **{name: body[name] for name in names if name in body})]


def told(kind, **members):
    """One event of Converse's stream, in its frame."""
    return event(kind, json.dumps(members, ensure_ascii=False).encode())


def _converse_block(kind, inner):
    """What a block begins with, if it is told of, and its deltas."""
    if kind == "text":
        return None, [{"text": piece} for piece in halves(inner)]
    if kind == "citationsContent":
        words = [{"text": piece} for one in inner["content"] for piece in halves(one["text"])]
        return None, [*words, *({"citation": one} for one in inner["citations"])]
    if kind == "toolUse":
        text = json.dumps(inner["input"], ensure_ascii=False)
        head = {name: value for name, value in inner.items() if name != "input"}
        return head, [{"toolUse": {"input": piece}} for piece in halves(text)]
    if kind == "toolResult":
        head = {name: value for name, value in inner.items() if name != "content"}
        return head, [{"toolResult": inner["content"]}]
    if kind == "image":
        return {"format": inner["format"]}, [{"image": {"source": inner["source"]}}]
    if "redactedContent" in inner:
        return None, [{"reasoningContent": inner}]
    said = inner["reasoningText"]
    rows = [{"text": piece} for piece in halves(said["text"])]
    rows += [{"signature": said["signature"]}] if "signature" in said else []
    return None, [{"reasoningContent": row} for row in rows]


def _cohere(body):
    message = body["message"]
    empty = {"role": "assistant", "content": [], "tool_plan": "", "tool_calls": [], "citations": []}
    out = [named({"type": "message-start", "id": body["id"], "delta": {"message": empty}})]
    likely = body.get("logprobs")

    def say(kind, at, **said):
        more = {"index": at} if at is not None else {}
        out.append(named({"type": kind, **more, **({"delta": {"message": said}} if said else {})}))

    for at, block in enumerate(message.get("content") or ()):
        name = block["type"]
        say("content-start", at, content={"type": name, name: ""})
        for piece in halves(block[name]) if not likely else ():
            say("content-delta", at, content={name: piece})
        for one in likely or ():
            delta = {"message": {"content": {"text": one["text"]}}}
            told = {"type": "content-delta", "index": at, "delta": delta, "logprobs": one}
            out.append(named(told))
        for number, cited in enumerate(message.get("citations") or ()):
            if cited.get("content_index", 0) == at:
                say("citation-start", number, citations=cited)
                say("citation-end", number)
        say("content-end", at)
    for piece in halves(message.get("tool_plan") or ""):
        say("tool-plan-delta", None, tool_plan=piece)
    for at, call in enumerate(message.get("tool_calls") or ()):
        function = call["function"]
        say("tool-call-start", at, tool_calls=call | {"function": function | {"arguments": ""}})
        for piece in halves(function["arguments"]):
            say("tool-call-delta", at, tool_calls={"function": {"arguments": piece}})
        say("tool-call-end", at)
    delta = {"finish_reason": body["finish_reason"], "usage": body["usage"]}
    return [*out, named({"type": "message-end", "id": body["id"], "delta": delta})]
