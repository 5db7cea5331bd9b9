"""Whole answers of n of everything that a vendor can send many of, shape by shape."""

import json

from growth import conversed
from growth.asked import PNG
from trivium.wire.operation import SHAPE, Operation

WORDS_OF = {
    Operation.RESPONSES_COUNT: "count",
    Operation.MESSAGES_COUNT: "count",
    Operation.GENERATE_COUNT: "count",
    Operation.GENERATE_EMBED: "vectors",
    Operation.GENERATE_EMBED_BATCH: "vectors",
    Operation.COHERE_EMBED: "cohere_vectors",
    Operation.INVOKE_EMBED: "cohere_vectors",
    Operation.CONVERSE_COUNT: "count",
}


def words(operation):
    """What an operation's answers are written in."""
    return WORDS_OF.get(operation) or SHAPE[operation].value


def chat(n):
    """Whole answers, by name."""

    def of(message=None, **more):
        choice = {
            "index": 0,
            "message": {"role": "assistant", "content": "Ho", **(message or {})},
            "finish_reason": "stop",
        }
        return {
            "id": "c",
            "object": "chat.completion",
            "model": "m",
            "choices": [choice | more],
            "usage": COUNTS,
        }

    call = {"type": "function", "function": {"name": "t", "arguments": '{"a":1}'}}
    probability = {"token": "a", "logprob": -1, "bytes": [97], "top_logprobs": []}
    return {
        "choices": lambda: of() | {"choices": [{"index": i, "message": {"role": "assistant", "content": "a"}, "finish_reason": "stop"} for i in range(n)]},
        "calls": lambda: of({"tool_calls": [call | {"id": f"c{i}"} for i in range(n)]}),
        "calls_of_one_id": lambda: of({"tool_calls": [call | {"id": "c"}] * n}),
        "parts": lambda: of({"content": [{"type": "text", "text": "a"}] * n}),
        "citations": lambda: of({"annotations": [{"type": "url_citation", "url_citation": {"url": "https://example.org", "title": "t", "start_index": 0, "end_index": 1}}] * n}),
        "probabilities": lambda: of(logprobs={"content": [probability] * n}),
        "likely_others": lambda: of(logprobs={"content": [probability | {"top_logprobs": [probability] * n}]}),
        "thoughts": lambda: of({"reasoning_details": [{"type": "reasoning.text", "text": "t", "index": i} for i in range(n)]}),
        "thought": lambda: of({"reasoning_content": "hm " * (4 * n)}),
        "tags": lambda: of({"content": "<think>" * n}),
        "pictures": lambda: of({"images": [{"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}}] * n}),
        "unknown_members": lambda: of({f"x_{i}": i for i in range(n)}),
        "long_text": lambda: of({"content": "long " * (4 * n)}),
        "escapes": lambda: of({"content": "\u65e5\u672c" * (4 * n)}),
        "counts_in_choices": lambda: of() | {"usage": None, "choices": [{"index": i, "message": {"role": "assistant", "content": "a"}, "finish_reason": "stop", "usage": COUNTS} for i in range(n)]},
        "cut_calls": lambda: of({"tool_calls": [call | {"id": f"c{i}"} for i in range(n)]}, finish_reason="length"),
        "unknown_of_a_call": lambda: of({"tool_calls": [call | {"id": "c", **{f"x_{i}": i for i in range(n)}}]}),
    }  # fmt: skip


def responses(n):
    """Whole answers, by name."""

    def of(*output, **more):
        return {
            "id": "resp_1",
            "object": "response",
            "status": "completed",
            "model": "m",
            "output": list(output),
            "usage": {"input_tokens": 9, "output_tokens": 2, "total_tokens": 11},
            **more,
        }

    def says(*content):
        return {
            "type": "message",
            "id": "msg_1",
            "role": "assistant",
            "status": "completed",
            "content": list(content),
        }

    text = {"type": "output_text", "text": "a", "annotations": []}
    cited = {
        "type": "url_citation",
        "url": "https://example.org",
        "title": "t",
        "start_index": 0,
        "end_index": 1,
    }
    return {
        "items": lambda: of(*[says(text)] * n),
        "parts": lambda: of(says(*[text] * n)),
        "calls": lambda: of(*[{"type": "function_call", "id": f"fc{i}", "call_id": f"c{i}", "name": "t", "arguments": "{}", "status": "completed"} for i in range(n)]),
        "thoughts": lambda: of(*[{"type": "reasoning", "id": f"rs{i}", "summary": [], "encrypted_content": "sealed"} for i in range(n)], says(text)),
        "thought_of_words": lambda: of({"type": "reasoning", "id": "rs", "summary": [{"type": "summary_text", "text": "t"}] * n}, says(text)),
        "citations": lambda: of(says(text | {"annotations": [cited] * n})),
        "probabilities": lambda: of(says(text | {"logprobs": [{"token": "a", "logprob": -1, "bytes": [97], "top_logprobs": []}] * n})),
        "pictures": lambda: of(*[{"type": "image_generation_call", "id": f"ig{i}", "status": "completed", "result": PNG} for i in range(n)]),
        "foreign_items": lambda: of(*[{"type": "computer_call", "id": f"x{i}", "action": {"type": "wait"}} for i in range(n)], says(text)),
        "unknown_items": lambda: of(*[{"type": f"x{i}", "text": "a"} for i in range(n)], says(text)),
        "unknown_members": lambda: of(says(text), **{f"x_{i}": i for i in range(n)}),
        "long_text": lambda: of(says(text | {"text": "long " * (4 * n)})),
    }  # fmt: skip


def messages(n):
    """Whole answers, by name."""

    def of(*content, **more):
        return {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "m",
            "content": list(content),
            "stop_reason": "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": 9, "output_tokens": 2},
            **more,
        }

    text = {"type": "text", "text": "a"}
    cited = {
        "type": "char_location",
        "cited_text": "a",
        "document_index": 0,
        "document_title": None,
        "start_char_index": 0,
        "end_char_index": 1,
    }
    return {
        "blocks": lambda: of(*[text] * n),
        "calls": lambda: of(*[{"type": "tool_use", "id": f"c{i}", "name": "t", "input": {}} for i in range(n)]),
        "thoughts": lambda: of(*[{"type": "thinking", "thinking": "t", "signature": "s"}] * n, text),
        "hidden_thoughts": lambda: of(*[{"type": "redacted_thinking", "data": "sealed"}] * n, text),
        "citations": lambda: of(text | {"citations": [cited] * n}),
        "foreign_blocks": lambda: of(*[{"type": "server_tool_use", "id": f"s{i}", "name": "web_search", "input": {"query": "q"}} for i in range(n)], text),
        "unknown_blocks": lambda: of(*[{"type": f"x{i}", "text": "a"} for i in range(n)], text),
        "unknown_members": lambda: of(text, **{f"x_{i}": i for i in range(n)}),
        "long_text": lambda: of(text | {"text": "long " * (4 * n)}),
        "iterations": lambda: of(text, usage={"input_tokens": 9, "output_tokens": 2, "iterations": [{"type": "compaction", "input_tokens": 9, "output_tokens": 2}] * n}),
        "unknown_counts": lambda: of(text, usage={"input_tokens": 9, "output_tokens": 2, **{f"x_{i}": i for i in range(n)}}),
    }  # fmt: skip


def generate(n):
    """Whole answers, by name."""

    def of(*parts, **more):
        one = {
            "content": {"role": "model", "parts": list(parts)},
            "finishReason": "STOP",
            "index": 0,
        }
        return {
            "candidates": [one | more],
            "usageMetadata": {
                "promptTokenCount": 9,
                "candidatesTokenCount": 2,
                "totalTokenCount": 11,
            },
            "modelVersion": "m",
            "responseId": "r",
        }

    text = {"text": "a"}
    chunk = {"web": {"uri": "https://example.org", "title": "t"}}
    support = {
        "segment": {"startIndex": 0, "endIndex": 1, "text": "a"},
        "groundingChunkIndices": [0],
    }
    probability = {"token": "a", "tokenId": 1, "logProbability": -1}
    return {
        "candidates": lambda: of() | {"candidates": [{"content": {"role": "model", "parts": [text]}, "finishReason": "STOP", "index": i} for i in range(n)]},
        "parts": lambda: of(*[text] * n),
        "parts_in_turn": lambda: of(*[text, {"text": "t", "thought": True}] * (n // 2)),
        "calls": lambda: of(*[{"functionCall": {"id": f"c{i}", "name": "t", "args": {}}} for i in range(n)]),
        "signed_parts": lambda: of(*[text | {"thoughtSignature": "c2ln"}] * n),
        "pictures": lambda: of(*[{"inlineData": {"mimeType": "image/png", "data": PNG}}] * n),
        "sources": lambda: of(text, groundingMetadata={"groundingChunks": [chunk] * n, "groundingSupports": [support] * n}),
        "sources_of_one": lambda: of(text, groundingMetadata={"groundingChunks": [chunk] * n, "groundingSupports": [support | {"groundingChunkIndices": list(range(n))}]}),
        "far_sources": lambda: of({"text": "\u65e5\u672c" * n}, groundingMetadata={"groundingChunks": [chunk], "groundingSupports": [support | {"segment": {"startIndex": 3 * i, "endIndex": 3 * i + 3, "text": "\u65e5"}} for i in range(n)]}),
        "probabilities": lambda: of(text, logprobsResult={"chosenCandidates": [probability] * n, "topCandidates": [{"candidates": [probability]}] * n}),
        "unknown_parts": lambda: of(*[{f"x{i}": 1} for i in range(n)], text),
        "unknown_members": lambda: of(text) | {f"x_{i}": i for i in range(n)},
        "long_text": lambda: of({"text": "long " * (4 * n)}),
        "members_beside_no_text": lambda: of({"text": "", **{f"x_{i}": i for i in range(n)}}),
        "parts_beside_no_text": lambda: of(*[{"text": "", "x": 1}] * n),
        "count_details": lambda: of(text) | {"usageMetadata": {"promptTokenCount": 9, "candidatesTokenCount": 2, "promptTokensDetails": [{"modality": "AUDIO", "tokenCount": 1}] * n, "candidatesTokensDetails": [{"modality": "IMAGE", "tokenCount": 1}] * n}},
    }  # fmt: skip


def converse(n):
    """Whole answers, by name."""

    def of(*content, **more):
        return {
            "output": {"message": {"role": "assistant", "content": list(content)}},
            "stopReason": "end_turn",
            "usage": {"inputTokens": 9, "outputTokens": 2, "totalTokens": 11},
            "metrics": {"latencyMs": 1},
            **more,
        }

    text = {"text": "a"}
    use = {"toolUseId": "c", "name": "t", "input": {}}
    cited = {"title": "t", "location": {"web": {"url": "https://example.org"}}}
    return {
        "parts": lambda: of(*[text] * n),
        "calls": lambda: of(*[{"toolUse": use | {"toolUseId": f"c{i}"}} for i in range(n)]),
        "server_calls": lambda: of(*[{"toolUse": use | {"type": "server_tool_use"}}] * n),
        "thoughts": lambda: of(*[{"reasoningContent": {"reasoningText": {"text": "t", "signature": "s"}}}] * n),
        "pictures": lambda: of(*[{"image": {"format": "png", "source": {"bytes": PNG}}}] * n),
        "citations": lambda: of({"citationsContent": {"content": [text], "citations": [cited] * n}}),
        "cited_in_pieces": lambda: of({"citationsContent": {"content": [text] * n, "citations": []}}),
        "results": lambda: of({"toolResult": {"toolUseId": "c", "content": [text] * n}}),
        "cache_details": lambda: of(text) | {"usage": {"inputTokens": 1, "cacheDetails": [{"ttl": "1h", "inputTokens": 1}] * n}},
        "unknown_parts": lambda: of(*[{f"x{i}": {"text": "a"}} for i in range(n)], text),
        "unknown_of_a_part": lambda: of({"text": "a", **{f"x{i}": 1 for i in range(n)}}),
        "unknown_members": lambda: of(text, **{f"x_{i}": i for i in range(n)}),
        "long_text": lambda: of({"text": "long " * (4 * n)}),
        "halves": lambda: of({"text": "\ud83d" * n}),
        "long_call": lambda: of({"toolUse": use | {"input": {"a": "long " * (4 * n)}}}),
    }  # fmt: skip


def completions(n):
    """Whole answers, by name."""
    return {
        "choices": lambda: {"id": "c", "object": "text_completion", "choices": [{"index": i, "text": "a", "finish_reason": "stop"} for i in range(n)], "usage": COUNTS},
        "long_text": lambda: {"id": "c", "object": "text_completion", "choices": [{"index": 0, "text": "long " * (4 * n)}], "usage": COUNTS},
    }  # fmt: skip


def _rows(member, row):
    return lambda n: {"rows": lambda: {"object": "list", member: [row] * n, "usage": COUNTS}}


def pictures(n):
    """Whole answers of those who draw, by name."""
    return {"pictures": lambda: {"created": 1, "data": [{"b64_json": PNG}] * n}}


def audio(n):
    """Whole answers of those who hear, by name."""
    return {
        "words": lambda: {"text": "a", "duration": 1.0, "words": [{"word": "a", "start": 0, "end": 1}] * n},
        "long_text": lambda: {"text": "long " * (4 * n)},
    }  # fmt: skip


def cohere(n):
    """Whole answers of Cohere's, by name."""

    def of(*content, **more):
        message = {
            "role": "assistant",
            "content": list(content) or [{"type": "text", "text": "Ho"}],
        }
        counts = {"input_tokens": 9, "output_tokens": 2}
        return {
            "id": "c",
            "finish_reason": "COMPLETE",
            "message": message | more,
            "usage": {"billed_units": counts},
        }

    text = {"type": "text", "text": "a"}
    cited = {
        "start": 0,
        "end": 1,
        "sources": [{"type": "document", "id": "d", "document": {"text": "a"}}],
    }
    call = {"type": "function", "function": {"name": "t", "arguments": '{"a":1}'}}
    return {
        "texts": lambda: of(*[text] * n),
        "thoughts": lambda: of(*[{"type": "thinking", "thinking": "t"}] * n),
        "calls": lambda: of(tool_calls=[call | {"id": f"c{i}"} for i in range(n)]),
        "citations": lambda: of(citations=[cited] * n),
        "citations_of_each_text": lambda: of(*[text] * n, citations=[cited | {"content_index": i} for i in range(n)]),
        "sources": lambda: of(citations=[cited | {"sources": cited["sources"] * n}]),
        "probabilities": lambda: of() | {"logprobs": [{"text": "a", "token_ids": [1], "logprobs": [-1]}] * n},
        "tokens_of_a_piece": lambda: of() | {"logprobs": [{"text": "a", "token_ids": [1] * n, "logprobs": [-1] * n}]},
        "plan": lambda: of(tool_plan="hm " * (4 * n)),
        "long_text": lambda: of({"type": "text", "text": "long " * (4 * n)}),
        "unknown_entries": lambda: of(*[{"type": "x", "text": "a"}] * n),
        "unknown_members": lambda: of() | {f"x_{i}": i for i in range(n)},
        "unknown_counts": lambda: of() | {"usage": {"billed_units": {f"x_{i}": i for i in range(n)}}},
    }  # fmt: skip


def cohere_vectors(n):
    """Vectors of Cohere's, by name."""
    return {
        "vectors": lambda: {"embeddings": {"float": [[0.5, 0.25]] * n}},
        "packed_vectors": lambda: {"embeddings": {"base64": ["AAAAPw=="] * n}},
        "long_vector": lambda: {"embeddings": {"float": [[0.5] * n]}},
        "unknown_members": lambda: {"embeddings": {"float": [[0.5]]}, **{f"x_{i}": i for i in range(n)}},
    }  # fmt: skip


def count(n):
    """Whole answers of those who count, by name."""
    unknown = {f"x_{i}": i for i in range(n)}
    return {"unknown_members": lambda: {"input_tokens": 9, "totalTokens": 9, **unknown}}


COUNTS = {"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 11}
WHOLE = {
    "chat": chat,
    "responses": responses,
    "messages": messages,
    "generate": generate,
    "completions": completions,
    "converse": lambda n: conversed.told(n) | converse(n),
    "cohere": cohere,
    "cohere_vectors": cohere_vectors,
    "embeddings": _rows("data", {"object": "embedding", "index": 0, "embedding": [0.5, 0.25]}),
    "vectors": _rows("embeddings", {"values": [0.5, 0.25]}),
    "rerank": _rows("results", {"index": 0, "relevance_score": 0.5}),
    "moderations": _rows("results", {"flagged": False, "categories": {}, "category_scores": {}}),
    "images": pictures,
    "audio": audio,
    "count": count,
}


def body(shape, kind, n):
    """A whole answer's bytes."""
    return json.dumps(WHOLE[shape](n)[kind]()).encode()


def whole_kinds(shape):
    return tuple(WHOLE[shape](4))
