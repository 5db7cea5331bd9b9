"""What an upstream can answer, feature by feature, in the words of each of the shapes.

A case is one whole answer a shape; ``streams.py`` tells it in pieces. A shape that is missing never
answers so. ``placeless`` names what a caller's shape has no place for: caller -> beginnings of
paths in the canonical form. Sources: the vendors' references and SDK types, read on 2026-11-21.
"""

import dataclasses

from end_to_end.features.answering import (
    calling,
    chat,
    cohere,
    converse,
    generate,
    message,
    messages,
    responses,
    thought,
)
from end_to_end.features.asking import PNG, SHAPES, WAV

TEXT = "Grüße aus Köln."
URL = "https://example.org/a"


@dataclasses.dataclass(frozen=True)
class Telling:
    """One feature of answers."""

    title: str
    bodies: dict
    """Shape -> the upstream's whole body."""
    placeless: dict = dataclasses.field(default_factory=dict)
    note: str = ""
    """What becomes of it there."""
    words_stay: bool = True
    """Whether the text is the same everywhere: nothing is put into it, nothing taken out."""


def ending(chat_, reason, messages_, generate_, converse_):
    """A text that ends for this reason."""
    return {
        "converse": converse(TEXT, stop=converse_),
        "chat": chat(TEXT, chat_),
        "responses": responses(message(TEXT), status="incomplete", reason=reason),
        "messages": messages(TEXT, stop=messages_),
        "generate": generate(TEXT, finish=generate_),
    }


def ran(name, found):
    """A tool that Amazon ran, and what came of it."""
    return (
        {"toolUse": {"toolUseId": "s1", "name": name, "type": "server_tool_use", "input": found}},
        {"toolResult": {
            "toolUseId": "s1", "type": f"{name}_result", "status": "success",
            "content": [{"text": "1"}],
        }},
    )  # fmt: skip


SUMMARY = [{"type": "summary_text", "text": "Hm."}]
SEALED = {"type": "reasoning", "summary": SUMMARY, "encrypted_content": "Z0FBQUFB"}
THOUGHT = {"type": "thinking", "thinking": "Hm.", "signature": "c2lnbmF0dXJl"}
CITED = {"type": "url_citation", "url": URL, "title": "A", "start_index": 0, "end_index": 5}
SURE = {"token": "Y", "logprob": -0.25, "bytes": [89]}
NEXT = SURE | {"top_logprobs": [{"token": "x", "logprob": -2.5, "bytes": [120]}]}
FILTERED = ("candidates.0.why",)
NOWHERE = ("candidates.0.parts",)

TELLINGS = (
    Telling(
        "text",
        {
            "chat": chat(TEXT),
            "responses": responses(message(TEXT)),
            "messages": messages(TEXT),
            "generate": generate(TEXT),
            "converse": converse(TEXT),
            "cohere": cohere(TEXT),
        },
    ),
    Telling(
        "several texts",
        {
            "responses": responses(message("One.", "Two.")),
            "messages": messages("One.", "Two."),
            "generate": generate("One.", "Two."),
            "converse": converse("One.", "Two."),
            "cohere": cohere("One.", "Two."),
        },
    ),
    Telling("empty answer", {
        "chat": chat(""),
        "responses": responses(),
        "messages": messages(),
        "generate": generate(),
        "converse": converse(),
        "cohere": cohere(),
    }),
    Telling(
        "text and a call",
        calling(("call_1", "look", '{"city":"Köln"}', {"city": "Köln"}), text="Let me see."),
    ),
    Telling(
        "parallel calls",
        calling(
            ("call_1", "look", '{"city":"Rome"}', {"city": "Rome"}),
            ("call_2", "look", '{"city":"Oslo"}', {"city": "Oslo"}),
        ),
    ),
    Telling("call without arguments", calling(("call_1", "now", "{}", {}))),
    Telling("refusal in words", {
        "chat": chat({"refusal": TEXT}),
        "responses": responses(message({"type": "refusal", "refusal": TEXT})),
    }, {
        "messages": ("candidates.0.parts.0", "candidates.0.finish"),
        "generate": ("candidates.0.parts.0",),
        "converse": ("candidates.0.parts.0", "candidates.0.finish"),
        "cohere": ("candidates.0.parts.0",),
    }, "a messages and a converse caller read the words as text, and `refusal` or `content_filtered` as the end; a generate and a cohere caller read the words"),
    Telling(
        "length",
        ending("length", "max_output_tokens", "max_tokens", "MAX_TOKENS", "max_tokens")
        | {"cohere": cohere(TEXT, finish="MAX_TOKENS")},
    ),
    Telling(
        "window full",
        {
            "messages": messages(TEXT, stop="model_context_window_exceeded"),
            "converse": converse(TEXT, stop="model_context_window_exceeded"),
        },
        dict.fromkeys(("chat", "responses", "generate", "cohere"), ("candidates.0.finish",)), "told as the limit of length",
    ),
    Telling(
        "stop sequence",
        {
            "messages": messages(TEXT, stop="stop_sequence", sequence="END"),
            "converse": converse(
                TEXT, stop="stop_sequence", additionalModelResponseFields={"stop_sequence": "END"}
            ),
            "cohere": cohere(TEXT, finish="STOP_SEQUENCE"),
        },
        dict.fromkeys(("chat", "responses", "generate"), ("candidates.0.finish", "candidates.0.stop_sequence"))
        | dict.fromkeys(("converse", "cohere"), ("candidates.0.stop_sequence",)), "which one fired; the end is a plain stop, but for a converse and a cohere caller",
    ),
    Telling(
        "safety block",
        ending("content_filter", "content_filter", "refusal", "SAFETY", "guardrail_intervened")
        | {
            "messages": messages(
                TEXT,
                stop="refusal",
                stop_details={"type": "refusal", "category": "bio", "explanation": "No."},
            )
        },
        dict.fromkeys(("chat", "responses", "generate", "converse"), FILTERED)
        | {"cohere": (*FILTERED, "candidates.0.finish")}, "category and explanation; a cohere caller is told an error, its one word for what is not complete",
    ),
    Telling(
        "prompt blocked",
        {
            "generate": {
                "promptFeedback": {"blockReason": "SAFETY"},
                "usageMetadata": {"promptTokenCount": 20, "totalTokenCount": 20},
                "modelVersion": "m",
                "responseId": "r9",
            }
        },
        dict.fromkeys(("chat", "responses", "converse"), FILTERED)
        | {"cohere": (*FILTERED, "candidates.0.finish")}, "the explanation; the end says that it was filtered, or to a cohere caller that it failed",
    ),
    Telling(
        "paused, and not to be gone on with",
        {"messages": messages(TEXT, stop="pause_turn")},
        dict.fromkeys(("chat", "responses", "generate", "converse", "cohere"), ("candidates.0.finish",)), "told as filtered, as an error or as unknown, never as a limit or as complete; it comes to this after eight rounds, or when the limit on the output or the money is used up",
    ),
    Telling("reasoning shown", {
        "chat": chat({"content": TEXT, "reasoning_content": "Hm."}),
        "responses": responses({"type": "reasoning", "summary": SUMMARY}, message(TEXT)),
        "messages": messages(THOUGHT, TEXT),
        "generate": generate({"text": "Hm.", "thought": True}, TEXT),
        "converse": converse(thought("Hm.", "c2lnbmF0dXJl"), TEXT),
        "cohere": cohere({"type": "thinking", "thinking": "Hm."}, TEXT),
    }, dict.fromkeys(
        ("chat", "messages", "generate", "converse", "cohere"), ("candidates.0.parts.0.form",)
    ), "whether it is all of the reasoning or a summary"),
    Telling("usage classes", {
        "chat": chat(TEXT, usage={
            "prompt_tokens": 20, "completion_tokens": 7, "total_tokens": 27,
            "prompt_tokens_details": {"cached_tokens": 8, "cache_write_tokens": 2},
            "completion_tokens_details": {"reasoning_tokens": 3},
        }),
        "responses": responses(message(TEXT), usage={
            "input_tokens": 20,
            "input_tokens_details": {"cached_tokens": 8, "cache_write_tokens": 2},
            "output_tokens": 7, "output_tokens_details": {"reasoning_tokens": 3},
            "total_tokens": 27,
        }),
        "messages": messages(TEXT, usage={
            "input_tokens": 10, "cache_read_input_tokens": 8, "cache_creation_input_tokens": 2,
            "output_tokens": 7, "output_tokens_details": {"thinking_tokens": 3},
        }),
        "generate": generate(TEXT, usage={
            "promptTokenCount": 20, "cachedContentTokenCount": 8, "candidatesTokenCount": 4,
            "thoughtsTokenCount": 3, "totalTokenCount": 27,
        }),
        "converse": converse(TEXT, usage={
            "inputTokens": 10, "cacheReadInputTokens": 8, "cacheWriteInputTokens": 2,
            "outputTokens": 7, "totalTokens": 27,
        }),
        "cohere": cohere(TEXT, usage={
            "billed_units": {"input_tokens": 20, "output_tokens": 7},
            "tokens": {"input_tokens": 80, "output_tokens": 9}, "cached_tokens": 68,
        }),
    }, {
        "generate": ("usage.fresh", "usage.cache_write_short"),
        "converse": ("usage.output", "usage.reasoning"),
        "cohere": ("usage.fresh", "usage.cache_write_short", "usage.output", "usage.reasoning"),
    }, "writes to a cache count as fresh input for a generate and a cohere caller, reasoning as output for a converse and a cohere caller"),
    Telling("long cache writes", {
        "messages": messages(TEXT, usage={
            "input_tokens": 10, "cache_creation_input_tokens": 2, "output_tokens": 7,
            "cache_creation": {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 2},
        }),
        "converse": converse(TEXT, usage={
            "inputTokens": 10, "cacheWriteInputTokens": 2, "outputTokens": 7, "totalTokens": 19,
            "cacheDetails": [{"ttl": "1h", "inputTokens": 2}],
        }),
    }, {
        "cohere": ("usage.fresh", "usage.cache_write"),
        "chat": ("usage.cache_write",), "responses": ("usage.cache_write",),
        "generate": ("usage.fresh", "usage.cache_write"),
    }, "how long what was written is kept"),
    Telling("service tier", {
        "chat": chat(TEXT, service_tier="flex"),
        "responses": responses(message(TEXT), service_tier="flex"),
        "messages": messages(TEXT, usage={
            "input_tokens": 20, "output_tokens": 7, "service_tier": "priority",
        }),
        "generate": generate(TEXT, usage={
            "promptTokenCount": 20, "candidatesTokenCount": 7, "totalTokenCount": 27,
            "serviceTier": "flex",
        }),
        "converse": converse(TEXT, serviceTier={"type": "flex"}),
    }, {"messages": ("service_tier",), "cohere": ("service_tier",)}, "the tier that served it, where that one has no name"),
    Telling("citations", {
        "chat": chat({
            "content": TEXT,
            "annotations": [{
                "type": "url_citation",
                "url_citation": {name: CITED[name] for name in CITED if name != "type"},
            }],
        }),
        "responses": responses(message(TEXT, annotations=[CITED])),
        "messages": messages({"type": "text", "text": TEXT, "citations": [{
            "type": "web_search_result_location", "url": URL, "title": "A",
            "encrypted_index": "opaque", "cited_text": "A.",
        }]}),
        "generate": generate(TEXT, groundingMetadata={
            "groundingChunks": [{"web": {"uri": URL, "title": "A"}}],
            "groundingSupports": [
                {"segment": {"startIndex": 0, "endIndex": 7}, "groundingChunkIndices": [0]},
            ],
        }),
        "converse": converse({"citationsContent": {
            "content": [{"text": TEXT}],
            "citations": [{
                "title": "A", "location": {"web": {"url": URL, "domain": "example.org"}},
                "sourceContent": [{"text": "A."}],
            }],
        }}),
        "cohere": cohere(TEXT, citations=[{
            "start": 0, "end": 5, "text": "Grüße", "content_index": 0, "type": "TEXT_CONTENT",
            "sources": [{
                "type": "document", "id": "d1", "document": {"title": "A", "url": URL},
            }],
        }]),
    }, dict.fromkeys(("messages", "converse"), ("candidates.0.parts.0.citations",)), "in a stream, a messages and a converse caller see the whole block cited: its words are told by then; the others are not told a source's own words"),
    Telling("images in the answer", {
        "responses": responses({"type": "image_generation_call", "result": PNG}),
        "generate": generate({"inlineData": {"mimeType": "image/png", "data": PNG}}),
        "converse": converse({"image": {"format": "png", "source": {"bytes": PNG}}}),
    }, {"messages": NOWHERE, "cohere": NOWHERE}, "words stand for it", words_stay=False),
    Telling("audio in the answer", {
        "chat": chat({"audio": {
            "id": "audio_1", "data": WAV, "expires_at": 1795222800, "transcript": "Hi",
        }}),
        "generate": generate({"inlineData": {"mimeType": "audio/wav", "data": WAV}}),
    }, {"responses": NOWHERE, "messages": NOWHERE, "converse": NOWHERE, "cohere": NOWHERE, "generate": ("candidates.0.parts.0.transcript",)}, "its transcript, or words that stand for it; asking for audio is refused before", words_stay=False),
    Telling("several candidates", {
        "chat": chat(choices=[{"content": "One."}, {"content": "Two."}]),
        "generate": generate(candidates=[["One."], ["Two."]]),
    }, dict.fromkeys(("responses", "messages", "converse", "cohere"), ("candidates",)), "all but the first; asking for several is refused before"),
    Telling("log probabilities", {
        "chat": chat("Y", logprobs={"content": [NEXT], "refusal": None}),
        "responses": responses(message("Y", logprobs=[NEXT])),
        "generate": generate("Y", logprobsResult={
            "chosenCandidates": [{"token": "Y", "logProbability": -0.25}],
            "topCandidates": [{"candidates": [{"token": "x", "logProbability": -2.5}]}],
        }),
        "cohere": cohere("Y", logprobs=[{"text": "Y", "token_ids": [9], "logprobs": [-0.25]}]),
    }, {"messages": NOWHERE, "converse": NOWHERE, "cohere": NOWHERE}, "all of them, where asking for them is refused before; a cohere caller is not told what else was likely"),
    Telling("a search by the vendor", {
        "responses": responses({
            "type": "web_search_call", "action": {"type": "search", "query": "q"},
        }, message(TEXT)),
        "messages": messages({
            "type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search",
            "input": {"query": "q"},
        }, {
            "type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": [{
                "type": "web_search_result", "url": URL, "title": "A",
                "encrypted_content": "opaque", "page_age": None,
            }],
        }, TEXT),
        "generate": generate(TEXT, groundingMetadata={"webSearchQueries": ["q"]}),
        "converse": converse(*ran("nova_grounding", {"query": "q"}), TEXT),
    }, dict.fromkeys(SHAPES, NOWHERE), "what the vendor's search found; a responses and a generate caller are told what was searched for, the others nothing of it. Sources that are cited are citations"),
    Telling("a page fetched by the vendor", {
        "messages": messages({
            "type": "server_tool_use", "id": "srvtoolu_1", "name": "web_fetch",
            "input": {"url": URL},
        }, {
            "type": "web_fetch_tool_result", "tool_use_id": "srvtoolu_1",
            "content": {"type": "web_fetch_tool_result_error", "error_code": "unavailable"},
        }, TEXT),
    }, dict.fromkeys(("chat", "responses", "generate", "converse", "cohere"), NOWHERE), "all of it"),
    Telling("code run by the vendor", {
        "responses": responses({
            "type": "code_interpreter_call", "code": "print(1)", "container_id": "c1",
            "outputs": [{"type": "logs", "logs": "1"}],
        }, message(TEXT)),
        "messages": messages({
            "type": "server_tool_use", "id": "srvtoolu_1", "name": "code_execution",
            "input": {"code": "print(1)"},
        }, {
            "type": "code_execution_tool_result", "tool_use_id": "srvtoolu_1",
            "content": {
                "type": "code_execution_result", "stdout": "1", "stderr": "",
                "return_code": 0, "content": [],
            },
        }, TEXT),
        "generate": generate(
            {"executableCode": {"language": "PYTHON", "code": "print(1)"}},
            {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1"}},
            TEXT,
        ),
        "converse": converse(*ran("nova_code_interpreter", {"code": "print(1)"}), TEXT),
    }, dict.fromkeys(SHAPES, NOWHERE), "the code and what came of it"),
)  # fmt: skip
"""In the order of the table in docs/translation.md."""
