"""Requests, answers and streams of the converse shape of n of everything."""

import json

from trivium.wire.event_stream import event

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
CITY = {"type": "object", "properties": {"city": {"type": "string"}}}
POINT = {"cachePoint": {"type": "default"}}
SOURCE = {"title": "t", "location": {"web": {"url": "https://example.org"}}}
THOUGHT = {"reasoningContent": {"reasoningText": {"text": "t", "signature": "c2ln"}}}
HIDDEN = {"reasoningContent": {"redactedContent": "c2ln"}}


def asked(n, schemas):
    """By name, the members of a request; ``schemas``: those of ``asked.py``."""
    asks = {"role": "user", "content": [{"text": "Hi"}]}
    calls = [
        {"toolUse": {"toolUseId": f"c{i}", "name": "t", "input": {"city": "Rome"}}}
        for i in range(n)
    ]
    results = [
        {"toolResult": {"toolUseId": f"c{i}", "content": [{"text": "ok"}]}} for i in range(n)
    ]

    def of(*content, **more):
        return {"messages": [{"role": "user", "content": list(content)}], **more}

    def after(content, *answer):
        heard = {"role": "user", "content": list(answer) or [{"text": "go on"}]}
        return {"messages": [asks, {"role": "assistant", "content": content}, heard]}

    def spec(name="t", schema=CITY):
        return {"toolSpec": {"name": name, "inputSchema": {"json": schema}}}

    def document(source):
        return {"document": {"name": "n", "format": "txt", "source": source}}

    found = {"source": "s", "title": "t", "content": [{"text": "a"}]}
    picture = {"image": {"format": "png", "source": {"bytes": PNG}}}
    return {
        "one_role": lambda: {"messages": [asks] * n},
        "alternating": lambda: {"messages": [asks, {"role": "assistant", "content": [{"text": "a"}]}] * (n // 2) + [asks]},
        "instructions": lambda: {"messages": [asks], "system": [{"text": "be"}] * n},
        "instructions_between": lambda: {"messages": [asks, {"role": "system", "content": [{"text": "be"}]}] * (n // 2)},
        "texts": lambda: of(*[{"text": "a"}] * n),
        "pictures": lambda: of(*[picture] * n),
        "documents": lambda: of(*[document({"text": "a"})] * n),
        "document_of_pieces": lambda: of(document({"content": [{"text": "a"}] * n})),
        "search_results": lambda: of(*[{"searchResult": found}] * n),
        "search_result_of_texts": lambda: of({"searchResult": found | {"content": [{"text": "a"}] * n}}),
        "points": lambda: of(*[{"text": "a"}, POINT] * (n // 2)),
        "points_alone": lambda: of(*[POINT] * n, {"text": "a"}),
        "guarded": lambda: of(*[{"guardContent": {"text": {"text": "a"}}}] * n),
        "places": lambda: of(*[{"image": {"format": "png", "source": {"s3Location": {"uri": f"s3://bucket/{i}"}}}} for i in range(n)]),
        "calls": lambda: after(calls, *results),
        "calls_answered_backwards": lambda: after(calls, *results[::-1]),
        "calls_unanswered": lambda: after(calls),
        "result_of_blocks": lambda: after(calls[:1], {"toolResult": {"toolUseId": "c0", "content": [{"text": "a"}] * n}}),
        "result_of_json": lambda: after(calls[:1], {"toolResult": {"toolUseId": "c0", "content": [{"json": {f"m{i}": i for i in range(n)}}]}}),
        "results_alone": lambda: after([{"text": "a"}], *results),
        "thoughts": lambda: after([THOUGHT] * n),
        "hidden_thoughts": lambda: after([HIDDEN] * n),
        "thoughts_before_calls": lambda: after([one for i in range(n // 2) for one in (HIDDEN, calls[i])], *results[: n // 2]),
        "cited": lambda: after([{"citationsContent": {"content": [{"text": "a"}] * n, "citations": [SOURCE] * n}}]),
        "unknown_blocks": lambda: of(*[{f"x{i}": {"a": 1}} for i in range(n)]),
        "members_of_a_block": lambda: of({f"x{i}": 1 for i in range(n)}),
        "tools": lambda: {"messages": [asks], "toolConfig": {"tools": [spec(f"t{i}") for i in range(n)]}},
        "searches": lambda: {"messages": [asks], "toolConfig": {"tools": [{"systemTool": {"name": f"s{i}"}} for i in range(n)]}},
        "tool_points": lambda: {"messages": [asks], "toolConfig": {"tools": [spec(), *[POINT] * n]}},
        "stops": lambda: {"messages": [asks], "inferenceConfig": {"stopSequences": [f"s{i}" for i in range(n)]}},
        "metadata": lambda: {"messages": [asks], "requestMetadata": {f"m{i}": "v" for i in range(n)}},
        "fields": lambda: {"messages": [asks], "additionalModelRequestFields": {f"x{i}": i for i in range(n)}},
        "field_paths": lambda: {"messages": [asks], "additionalModelResponseFieldPaths": [f"/x{i}" for i in range(n)]},
        "variables": lambda: {"messages": [asks], "promptVariables": {f"v{i}": {"text": "a"} for i in range(n)}},
        "unknown_members": lambda: {"messages": [asks], **{f"x_{i}": i for i in range(n)}},
        "unknown_capitals": lambda: {"messages": [asks], **{f"X{i}": i for i in range(n)}},
        "long_text": lambda: of({"text": "long " * (4 * n)}),
        "long_blob": lambda: of({"image": {"format": "png", "source": {"bytes": "QUFB" * (4 * n)}}}),
        "escapes": lambda: of({"text": "日本" * (4 * n)}),
        **{f"schema_{name}": lambda one=one: {"messages": [asks], "outputConfig": {"textFormat": {"type": "json_schema", "structure": {"jsonSchema": {"schema": json.dumps(one)}}}}} for name, one in schemas.items()},
        **{f"parameters_{name}": lambda one=one: {"messages": [asks], "toolConfig": {"tools": [spec(schema=one)]}} for name, one in schemas.items()},
    }  # fmt: skip


COUNTS = {"inputTokens": 9, "outputTokens": 2, "totalTokens": 11}


def told(n):
    """Whole answers, by name."""

    def of(*content, **more):
        return {
            "output": {"message": {"role": "assistant", "content": list(content)}},
            "stopReason": "end_turn",
            "usage": COUNTS,
            "metrics": {"latencyMs": 1},
            **more,
        }

    call = {"toolUse": {"toolUseId": "c", "name": "t", "input": {"a": 1}}}
    return {
        "texts": lambda: of(*[{"text": "a"}] * n),
        "calls": lambda: of(*[call] * n),
        "thoughts": lambda: of(*[THOUGHT] * n),
        "hidden_thoughts": lambda: of(*[HIDDEN] * n),
        "pictures": lambda: of(*[{"image": {"format": "png", "source": {"bytes": PNG}}}] * n),
        "citations": lambda: of({"citationsContent": {"content": [{"text": "a"}] * n, "citations": [SOURCE] * n}}),
        "unknown_blocks": lambda: of(*[{f"x{i}": 1} for i in range(n)]),
        "unknown_members": lambda: of({"text": "a"}, **{f"x_{i}": i for i in range(n)}),
        "long_text": lambda: of({"text": "long " * (4 * n)}),
        "arguments": lambda: of({"toolUse": {"toolUseId": "c", "name": "t", "input": {f"m{i}": i for i in range(n)}}}),
        "lives": lambda: of({"text": "a"}, usage=COUNTS | {"cacheDetails": [{"ttl": "1h", "inputTokens": 1}] * n}),
    }  # fmt: skip


def stream(n):
    """Streams, by name; and what may stand between the events of any, as often as it likes."""

    def delta(at, **piece):
        return ("contentBlockDelta", {"contentBlockIndex": at, "delta": piece})

    def stop(at):
        return ("contentBlockStop", {"contentBlockIndex": at})

    def call(at, *pieces):
        start = {"toolUse": {"toolUseId": f"c{at}", "name": "t"}}
        rows = [delta(at, toolUse={"input": piece}) for piece in pieces]
        return [("contentBlockStart", {"contentBlockIndex": at, "start": start}), *rows]

    def blocks(*pieces):
        return lambda: [
            row for i in range(n) for row in (*(delta(i, **one) for one in pieces), stop(i))
        ]

    thought = ({"reasoningContent": {"text": "t"}}, {"reasoningContent": {"signature": "c2ln"}})
    events = {
        "deltas": lambda: [delta(0, text="a")] * n,
        "texts": blocks({"text": "a"}),
        "texts_all_open": lambda: [delta(i, text="a") for i in range(n)],
        "calls": lambda: [row for i in range(n) for row in (*call(i, "{}"), stop(i))],
        "calls_all_open": lambda: [row for i in range(n) for row in call(i, "{", "}")],
        "arguments": lambda: call(0, '{"a":"', *["long "] * n, '"}'),
        "thoughts": blocks(*thought),
        "signatures": lambda: [delta(0, reasoningContent={"text": "t"}), *[delta(0, reasoningContent={"signature": "c2ln"})] * n],
        "hidden_thoughts": blocks({"reasoningContent": {"redactedContent": "c2ln"}}),
        "hidden_pieces": lambda: [delta(0, reasoningContent={"redactedContent": "c2ln"})] * n,
        "citations": lambda: [delta(0, text="a"), *[delta(0, citation=SOURCE)] * n],
        "pictures": lambda: [row for i in range(n) for row in (("contentBlockStart", {"contentBlockIndex": i, "start": {"image": {"format": "png"}}}), delta(i, image={"source": {"bytes": PNG}}), stop(i))],
        "unknown_deltas": lambda: [delta(0, **{f"x{i}": 1}) for i in range(n)],
        "unknown_events": lambda: [(f"x{i}", {}) for i in range(n)],
        "counts": lambda: [("metadata", {"usage": COUNTS, "metrics": {"latencyMs": 1}})] * n,
        "long_text": lambda: [delta(0, text="long " * (4 * n))],
    }  # fmt: skip

    def wire(rows):
        whole = [
            ("messageStart", {"role": "assistant"}),
            *rows,
            ("messageStop", {"stopReason": "end_turn"}),
            ("metadata", {"usage": COUNTS, "metrics": {"latencyMs": 1}}),
        ]
        return b"".join([event(kind, json.dumps(row).encode()) for kind, row in whole])

    return {name: lambda rows=rows: wire(rows()) for name, rows in events.items()}, {}
