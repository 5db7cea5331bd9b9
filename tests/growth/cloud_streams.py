"""Streams of n of everything that Amazon Bedrock and Cohere can send many of."""

import json

from growth.written import arguments, streams_of
from trivium.wire import event_stream


def converse_stream(n):
    def delta(i=0, **members):
        return "contentBlockDelta", {"contentBlockIndex": i, "delta": members, "p": "abc"}

    def start(i=0, **members):
        return "contentBlockStart", {"contentBlockIndex": i, "start": members}

    def stop(i=0):
        return "contentBlockStop", {"contentBlockIndex": i}

    def call(i=0, **more):
        return start(i, toolUse={"toolUseId": f"c{i}", "name": "t", **more})

    def thought(**members):
        return delta(reasoningContent=members)

    def end(**more):
        counts = {"inputTokens": 9, "outputTokens": 2, "totalTokens": 11}
        return "metadata", {"usage": counts, "metrics": {"latencyMs": 1}, **more}

    text = delta(text="a")
    cited = {"title": "t", "location": {"web": {"url": "https://example.org"}}}
    events = {
        "texts": lambda: [text] * n,
        "blocks": lambda: [one for i in range(n) for one in (delta(i, text="a"), stop(i))],
        "blocks_all_open": lambda: [*[delta(i, text="a") for i in range(n)], *[stop(i) for i in range(n)]],
        "calls": lambda: [one for i in range(n) for one in (call(i), stop(i))],
        "arguments_in_pieces": lambda: [call(), *[delta(toolUse={"input": '"a",'})] * n, stop()],
        "server_call_in_pieces": lambda: [call(type="server_tool_use"), *[delta(toolUse={"input": '"a",'})] * n, stop()],
        "thoughts": lambda: [thought(text="t")] * n,
        "signatures": lambda: [thought(signature="s")] * n,
        "secrets": lambda: [thought(redactedContent="aGk=")] * n,
        "citations": lambda: [text, *[delta(citation=cited)] * n],
        "picture_in_pieces": lambda: [start(image={"format": "png"}), *[delta(image={"source": {"bytes": "QUFB"}})] * n],
        "results": lambda: [delta(toolResult=[{"text": "a"}])] * n,
        "results_in_one": lambda: [delta(toolResult=[{"text": "a"}] * n)],
        "counts": lambda: [end()] * n,
        "unknown_counts": lambda: [end(**{f"x_{i}": i}) for i in range(n)],
        "unknown_events": lambda: [(f"x{i}", {}) for i in range(n)],
        "unknown_deltas": lambda: [delta(x={"text": "a"})] * n,
        "unknown_blocks": lambda: [one for i in range(n) for one in (delta(i, x={"a": 1}), stop(i))],
        "long_event": lambda: [delta(text="long " * (4 * n))],
        "long_call": lambda: [call(), delta(toolUse={"input": arguments(n)}), stop()],
        "long_thought": lambda: [thought(text="long " * (4 * n))],
    }  # fmt: skip

    def framed(rows):
        first = "messageStart", {"role": "assistant"}
        last = "messageStop", {"stopReason": "end_turn"}
        return lambda: b"".join(
            event_stream.event(name, json.dumps(payload).encode())
            for name, payload in [first, *rows(), last, end()]
        )

    return {name: framed(rows) for name, rows in events.items()}


def cohere_stream(n):
    def event(kind, index=0, **message):
        return {"type": kind, "index": index, "delta": {"message": message}}

    text = {"type": "text", "text": ""}
    thought = {"type": "thinking", "thinking": ""}
    call = {"id": "c", "type": "function", "function": {"name": "t", "arguments": ""}}
    cited = {"start": 0, "end": 1, "sources": [{"type": "document", "id": "d"}]}
    likely = {"logprobs": {"text": "a", "token_ids": [1], "logprobs": [-1]}}
    start = event("content-start", content=text)
    delta = event("content-delta", content={"text": "a"})
    end = {"delta": {"finish_reason": "COMPLETE", "usage": {"billed_units": {"input_tokens": 9}}}}
    return streams_of(
        {
            "deltas": lambda: [start, *[delta] * n],
            "texts": lambda: [one for i in range(n) for one in (start | {"index": i}, delta | {"index": i})],
            "thoughts": lambda: [event("content-start", i, content=thought) for i in range(n)],
            "starts_of_one": lambda: [start] * n,
            "plans": lambda: [event("tool-plan-delta", tool_plan="a")] * n,
            "calls": lambda: [one for i in range(n) for one in (event("tool-call-start", i, tool_calls=call), {"type": "tool-call-end", "index": i})],
            "calls_all_open": lambda: [event("tool-call-start", i, tool_calls=call) for i in range(n)],
            "arguments": lambda: [event("tool-call-start", tool_calls=call), *[event("tool-call-delta", tool_calls={"function": {"arguments": "a"}})] * n],
            "citations": lambda: [start, delta, *[event("citation-start", citations=cited)] * n],
            "probabilities": lambda: [start, *[delta | likely] * n],
            "ends_of_nothing": lambda: [{"type": "content-end", "index": i} for i in range(n)],
            "unknown_entries": lambda: [event("content-start", i, content={"type": "x"}) for i in range(n)],
            "unknown_events": lambda: [{"type": f"x{i}"} for i in range(n)],
            "long_event": lambda: [start, event("content-delta", content={"text": "long " * (4 * n)})],
            "long_call": lambda: [event("tool-call-start", tool_calls=call), event("tool-call-delta", tool_calls={"function": {"arguments": arguments(n)}}), {"type": "tool-call-end", "index": 0}],
            "long_thought": lambda: [event("content-start", content=thought), event("content-delta", content={"thinking": "long " * (4 * n)})],
        },
        [{"type": "message-start", "id": "m", "delta": {"message": {"role": "assistant"}}}],
        [{"type": "message-end"} | end],
        named=True,
    )  # fmt: skip
