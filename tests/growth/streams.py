"""Streams of n of everything that a vendor can send many of, shape by shape."""

import functools

from growth import conversed
from growth.asked import PNG
from growth.cloud_streams import cohere_stream, converse_stream
from growth.told import COUNTS
from growth.written import arguments, streams_of


def _chat_stream(n):
    def chunk(delta=None, index=0, reason=None, **more):
        return {
            "id": "c",
            "object": "chat.completion.chunk",
            "created": 1,
            "model": "m",
            "choices": [{"index": index, "delta": delta or {}, "finish_reason": reason, **more}],
        }

    def call(i, **function):
        return chunk(
            {
                "tool_calls": [
                    {
                        "index": i,
                        "id": f"c{i}",
                        "type": "function",
                        "function": {"name": "t", "arguments": "", **function},
                    }
                ]
            }
        )

    def more(i, text):
        return chunk({"tool_calls": [{"index": i, "function": {"arguments": text}}]})

    probability = {"token": "a", "logprob": -1, "bytes": [97], "top_logprobs": []}
    cited = {
        "type": "url_citation",
        "url_citation": {
            "url": "https://example.org",
            "title": "t",
            "start_index": 0,
            "end_index": 1,
        },
    }
    empty = {"id": "c", "object": "chat.completion.chunk", "choices": []}
    return streams_of(
        {
            "texts": lambda: [chunk({"content": "a"})] * n,
            "texts_of_many_forms": lambda: [chunk({"content": "a"}) | {f"x{i % 7}": i} for i in range(n)],
            "calls": lambda: [call(i, arguments="{}") for i in range(n)],
            "calls_of_one_id": lambda: [chunk({"tool_calls": [{"index": i, "id": "c", "type": "function", "function": {"name": "t", "arguments": "{}"}}]}) for i in range(n)],
            "calls_without_a_number": lambda: [chunk({"tool_calls": [{"id": f"c{i}", "type": "function", "function": {"name": "t", "arguments": "{}"}}]}) for i in range(n)],
            "calls_all_open": lambda: [*[call(i) for i in range(n)], *[more(i, "{}") for i in range(n)]],
            "arguments_in_pieces": lambda: [call(0), *[more(0, '"a",')] * n],
            "choices": lambda: [chunk({"content": "a"}, index=i) for i in range(n)],
            "choices_in_one": lambda: [chunk() | {"choices": [{"index": i, "delta": {"content": "a"}, "finish_reason": "stop"} for i in range(n)]}],
            "empty_choices": lambda: [empty] * n,
            "empty_choices_in_one": lambda: [empty | {"choices": [{}] * n}],
            "usages": lambda: [empty | {"usage": COUNTS}] * n,
            "thoughts": lambda: [chunk({"reasoning_content": "t"})] * n,
            "thoughts_in_turn": lambda: [chunk({"reasoning_content": "t"}), chunk({"content": "a"})] * (n // 2),
            "thought_details": lambda: [chunk({"reasoning_details": [{"type": "reasoning.text", "text": "t", "index": 0}]})] * n,
            "thought_details_many": lambda: [chunk({"reasoning_details": [{"type": "reasoning.text", "text": "t", "index": i}]}) for i in range(n)],
            "tags_in_pieces": lambda: [chunk({"content": "<think>"}), *[chunk({"content": "\n"}), chunk({"content": "a</th"})] * (n // 2)],
            "line_ends_in_a_thought": lambda: [chunk({"content": "<think>a"}), *[chunk({"content": "\n"})] * n],
            "probabilities": lambda: [chunk({"content": "a"}, logprobs={"content": [probability]})] * n,
            "citations": lambda: [chunk({"content": "a"}), *[chunk({"annotations": [cited]})] * n],
            "pictures": lambda: [chunk({"images": [{"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}}]})] * n,
            "unknown_members": lambda: [chunk({f"x_{i}": i}) for i in range(n)],
            "sounds": lambda: [chunk({"audio": {"id": "a", "data": "QUFB", "transcript": "a"}})] * n,
            "ends_of_no_word": lambda: [chunk({"content": "a"}, reason="")] * n,
            "ends_of_calls": lambda: [*[call(i, arguments="{") for i in range(n)], *[chunk(index=i % 100, reason="length") for i in range(n)]],
            "counts_in_choices": lambda: [chunk({"content": "a"}, usage=COUNTS)] * n,
            "counts_beside_others": lambda: [empty | {"usage": COUNTS, "x": i} for i in range(n)],
            "errors_after_the_end": lambda: [chunk(reason="stop"), b"data: [DONE]\n\n", *[{"error": {"message": "m"}}] * n],
            "long_event": lambda: [chunk({"content": "long " * (4 * n)})],
            "long_call": lambda: [call(0), more(0, arguments(n))],
            "long_thought": lambda: [chunk({"reasoning_content": "long " * (4 * n)})],
            "lines_of_data": lambda: [b"".join(b"data: %b\n" % line for line in (b"{", *[b" "] * n, b'"choices":[]}')) + b"\n"],
        },
        [chunk({"role": "assistant"})],
        [chunk(reason="stop"), empty | {"usage": COUNTS}],
        b"data: [DONE]\n\n",
    )  # fmt: skip


def _responses_stream(n):
    def event(name, **members):
        return {"type": f"response.{name}", **members}

    def whole(*output, status="completed"):
        return {
            "id": "resp_1",
            "object": "response",
            "status": status,
            "model": "m",
            "output": list(output),
            "usage": {"input_tokens": 9, "output_tokens": 2, "total_tokens": 11},
        }

    def item(i, kind="message", **members):
        return {"type": kind, "id": f"i{i}", **members}

    def call(i):
        return item(i, "function_call", call_id=f"c{i}", name="t", arguments="")

    def said(i, text, part=0):
        return event(
            "output_text.delta", output_index=i, content_index=part, item_id=f"i{i}", delta=text
        )

    def opened(i, one=None):
        return event(
            "output_item.added", output_index=i, item=one or item(i, role="assistant", content=[])
        )

    def closed(i, one=None):
        text = {"type": "output_text", "text": "a", "annotations": []}
        return event(
            "output_item.done",
            output_index=i,
            item=one or item(i, role="assistant", content=[text]),
        )

    cited = {
        "type": "url_citation",
        "url": "https://example.org",
        "title": "t",
        "start_index": 0,
        "end_index": 1,
    }
    return streams_of(
        {
            "texts": lambda: [opened(0), *[said(0, "a")] * n],
            "items": lambda: [one for i in range(n) for one in (opened(i), said(i, "a"), closed(i))],
            "items_all_open": lambda: [*[opened(i) for i in range(n)], *[said(i, "a") for i in range(n)]],
            "items_without_a_number": lambda: [event("output_item.added", item=item(i, role="assistant", content=[])) for i in range(n)],
            "items_unannounced": lambda: [said(i, "a") for i in range(n)],
            "parts": lambda: [opened(0), *[said(0, "a", i) for i in range(n)]],
            "calls": lambda: [one for i in range(n) for one in (opened(i, call(i)), event("function_call_arguments.done", output_index=i, item_id=f"i{i}", arguments="{}"), closed(i, call(i) | {"arguments": "{}"}))],
            "arguments_in_pieces": lambda: [opened(0, call(0)), *[event("function_call_arguments.delta", output_index=0, item_id="i0", delta='"a",')] * n],
            "thoughts": lambda: [opened(0, item(0, "reasoning", summary=[])), *[event("reasoning_summary_text.delta", output_index=0, item_id="i0", summary_index=0, delta="t")] * n],
            "thoughts_of_many_parts": lambda: [opened(0, item(0, "reasoning", summary=[])), *[event("reasoning_summary_text.delta", output_index=0, item_id="i0", summary_index=i, delta="t") for i in range(n)]],
            "citations": lambda: [opened(0), said(0, "a"), *[event("output_text.annotation.added", output_index=0, content_index=0, item_id="i0", annotation_index=i, annotation=cited) for i in range(n)]],
            "pictures": lambda: [closed(i, item(i, "image_generation_call", status="completed", result=PNG)) for i in range(n)],
            "unknown_events": lambda: [event(f"x{i}", a=1) for i in range(n)],
            "starts": lambda: [event("in_progress", response=whole(status="in_progress"))] * n,
            "whole_at_the_end": lambda: [event("completed", response=whole(*[item(i, role="assistant", content=[{"type": "output_text", "text": "a", "annotations": []}]) for i in range(n)]))],
            "thoughts_whole": lambda: [closed(i, item(i, "reasoning", summary=[{"type": "summary_text", "text": "t"}], encrypted_content="sealed")) for i in range(n)],
            "items_placed_at_the_end": lambda: [*[opened(2 * n + i) for i in range(min(n, 1000))], event("completed", response=whole(*[item(2 * n, role="assistant", content=[])] * n, *[item("", role="assistant", content=[])] * min(n, 1000)))],
            "long_event": lambda: [opened(0), said(0, "long " * (4 * n))],
            "long_call": lambda: [opened(0, call(0)), event("function_call_arguments.delta", output_index=0, item_id="i0", delta=arguments(n))],
            "long_thought": lambda: [opened(0, item(0, "reasoning", summary=[])), event("reasoning_summary_text.delta", output_index=0, item_id="i0", summary_index=0, delta="long " * (4 * n))],
        },
        [event("created", response=whole(status="in_progress"))],
        [event("completed", response=whole())],
        named=True,
    )  # fmt: skip


def _messages_stream(n):
    def start(i=0, **block):
        return {
            "type": "content_block_start",
            "index": i,
            "content_block": block or {"type": "text", "text": ""},
        }

    def delta(kind, i=0, **members):
        return {
            "type": "content_block_delta",
            "index": i,
            "delta": {"type": f"{kind}_delta", **members},
        }

    def stop(i=0):
        return {"type": "content_block_stop", "index": i}

    def call(i):
        return start(i, type="tool_use", id=f"c{i}", name="t", input={})

    text = delta("text", text="a")
    cited = {
        "type": "char_location",
        "cited_text": "a",
        "document_index": 0,
        "document_title": None,
        "start_char_index": 0,
        "end_char_index": 1,
    }
    think = start(type="thinking", thinking="", signature="")
    return streams_of(
        {
            "texts": lambda: [start(), *[text] * n, stop()],
            "blocks": lambda: [one for i in range(n) for one in (start(i), delta("text", i, text="a"), stop(i))],
            "blocks_all_open": lambda: [*[start(i) for i in range(n)], *[stop(i) for i in range(n)]],
            "calls": lambda: [one for i in range(n) for one in (call(i), stop(i))],
            "arguments_in_pieces": lambda: [call(0), *[delta("input_json", partial_json='"a",')] * n, stop()],
            "thoughts": lambda: [think, *[delta("thinking", thinking="t")] * n, stop()],
            "signatures": lambda: [think, *[delta("signature", signature="s")] * n, stop()],
            "citations": lambda: [start(), text, *[delta("citations", citation=cited)] * n, stop()],
            "pings": lambda: [{"type": "ping"}] * n,
            "ends": lambda: [{"type": "message_delta", "delta": {}, "usage": {"output_tokens": 2}}] * n,
            "unknown_blocks": lambda: [one for i in range(n) for one in (start(i, type=f"x{i}"), stop(i))],
            "unknown_events": lambda: [{"type": f"x{i}"} for i in range(n)],
            "unknown_deltas": lambda: [start(type="x", text=""), *[delta("x", text="a", more=1)] * n, stop()],
            "unknown_counts": lambda: [{"type": "message_delta", "delta": {}, "usage": {"output_tokens": 2, f"x_{i}": i}} for i in range(n)],
            "ends_uncounted": lambda: [{"type": "message_start", "message": {"id": "msg_1", "usage": {f"x_{i}": i for i in range(n)}}}, {"type": "message_delta", "delta": {"stop_reason": "end_turn"}}],
            "counts_after_others": lambda: [{"type": "message_delta", "delta": {}, "usage": {"output_tokens": 2, **{f"x_{i}": i for i in range(n)}}}, *[{"type": "message_delta", "delta": {}, "usage": {"output_tokens": 2}}] * n],
            "counts_after_iterations": lambda: [{"type": "message_delta", "delta": {}, "usage": {"output_tokens": 2, "iterations": [{"type": "compaction", "input_tokens": 9, "output_tokens": 2}] * n}}, *[{"type": "message_delta", "delta": {}, "usage": {"output_tokens": 2}}] * n],
            "iterations": lambda: [{"type": "message_delta", "delta": {}, "usage": {"output_tokens": 2, "iterations": [{"type": "compaction", "input_tokens": 9, "output_tokens": 2}] * n}}],
            "long_event": lambda: [start(), delta("text", text="long " * (4 * n)), stop()],
            "long_call": lambda: [call(0), delta("input_json", partial_json=arguments(n)), stop()],
            "long_thought": lambda: [think, delta("thinking", thinking="long " * (4 * n)), stop()],
        },
        [{"type": "message_start", "message": {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": [], "usage": {"input_tokens": 9, "output_tokens": 1}}}],
        [{"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": None}, "usage": {"output_tokens": 2}}, {"type": "message_stop"}],
        named=True,
    )  # fmt: skip


def _generate_stream(n):
    def chunk(*parts, index=0, **more):
        one = {"content": {"role": "model", "parts": list(parts)}, "index": index, **more}
        return {"candidates": [one], "modelVersion": "m", "responseId": "r"}

    text, thought = {"text": "a"}, {"text": "t", "thought": True}
    source = {"web": {"uri": "https://example.org", "title": "t"}}
    support = {
        "segment": {"startIndex": 0, "endIndex": 1, "text": "a"},
        "groundingChunkIndices": [0],
    }
    return streams_of(
        {
            "texts": lambda: [chunk(text)] * n,
            "texts_in_one": lambda: [chunk(*[text] * n)],
            "parts_in_turn": lambda: [chunk(text), chunk(thought)] * (n // 2),
            "calls": lambda: [chunk({"functionCall": {"id": f"c{i}", "name": "t", "args": {}}}) for i in range(n)],
            "calls_in_one": lambda: [chunk(*[{"functionCall": {"id": f"c{i}", "name": "t", "args": {}}} for i in range(n)])],
            "signed_texts": lambda: [chunk(text | {"thoughtSignature": "c2ln"})] * n,
            "candidates": lambda: [chunk(text, index=i) for i in range(n)],
            "pictures": lambda: [chunk({"inlineData": {"mimeType": "image/png", "data": PNG}})] * n,
            "sources": lambda: [chunk(text, groundingMetadata={"groundingChunks": [source], "groundingSupports": [support]})] * n,
            "usages": lambda: [chunk() | {"usageMetadata": {"promptTokenCount": 9}}] * n,
            "unknown_parts": lambda: [chunk({f"x{i}": 1}) for i in range(n)],
            "counts_after_others": lambda: [chunk() | {"usageMetadata": {"promptTokenCount": 9, **{f"x{i}": i for i in range(n)}}}, *[chunk() | {"usageMetadata": {"promptTokenCount": 9}}] * n],
            "unknown_counts": lambda: [chunk() | {"usageMetadata": {"promptTokenCount": 9, f"x{i}": i}} for i in range(n)],
            "blocked": lambda: [*[chunk(text, index=i) for i in range(8)], *[{"promptFeedback": {"blockReason": "SAFETY"}}] * n],
            "errors": lambda: [chunk(text), *[{"error": {"code": 500, "message": "m"}}] * n],
            "ends": lambda: [chunk(text, finishReason="STOP")] * n,
            "long_event": lambda: [chunk({"text": "long " * (4 * n)})],
            "long_call": lambda: [chunk({"functionCall": {"id": "c0", "name": "t", "args": {"a": "long " * (4 * n)}}})],
            "long_thought": lambda: [chunk({"text": "long " * (4 * n), "thought": True})],
        },
        [],
        [chunk(finishReason="STOP") | {"usageMetadata": {"promptTokenCount": 9, "candidatesTokenCount": 2, "totalTokenCount": 11}}],
    )  # fmt: skip


def _array_stream(n):
    found, _between = _generate_stream(n)

    def array(kind):
        rows = found[kind]().replace(b"data: ", b"").strip().split(b"\n\n")
        return b"[" + b",\r\n".join(rows) + b"]"

    return {
        kind: functools.partial(array, kind) for kind in ("texts", "calls", "ends", "long_event")
    }, {}


def _completions_stream(n):
    chunk = {
        "id": "c",
        "object": "text_completion",
        "choices": [{"index": 0, "text": "a", "finish_reason": None}],
    }
    return streams_of(
        {"texts": lambda: [chunk] * n, "empty_choices": lambda: [chunk | {"choices": []}] * n},
        [],
        [],
        b"data: [DONE]\n\n",
    )  # fmt: skip


def _images_stream(n):
    partial = {"type": "image_generation.partial_image", "partial_image_index": 0, "b64_json": PNG}
    done = {
        "type": "image_generation.completed",
        "b64_json": PNG,
        "usage": {"input_tokens": 9, "output_tokens": 2, "total_tokens": 11},
    }
    return streams_of(
        {
            "pictures": lambda: [partial] * n,
            "long_picture": lambda: [partial | {"b64_json": "QUFB" * (4 * n)}],
            "unknown_events": lambda: [{"type": f"x{i}"} for i in range(n)],
        },
        [],
        [done],
        named=True,
    )  # fmt: skip


def _audio_stream(n):
    return streams_of(
        {
            "texts": lambda: [{"type": "transcript.text.delta", "delta": "a"}] * n,
            "sounds": lambda: [{"type": "speech.audio.delta", "audio": "QUFB"}] * n,
            "long_event": lambda: [{"type": "speech.audio.delta", "audio": "QUFB" * (4 * n)}],
        },
        [],
        [{"type": "transcript.text.done", "text": "a"}, {"type": "speech.audio.done"}],
    )  # fmt: skip


STREAMS = {
    "chat": _chat_stream,
    "responses": _responses_stream,
    "messages": _messages_stream,
    "generate": _generate_stream,
    "array": _array_stream,
    "completions": _completions_stream,
    "converse": lambda n: (conversed.stream(n)[0] | converse_stream(n), conversed.stream(n)[1]),
    "cohere": cohere_stream,
    "images": _images_stream,
    "audio": _audio_stream,
}


def wire(shape, kind, n):
    """A stream's bytes."""
    found, between = STREAMS[shape](n)
    return between[kind](8 * n) if kind in between else found[kind]()


def kinds(shape):
    found, between = STREAMS[shape](4)
    return (*found, *between)
