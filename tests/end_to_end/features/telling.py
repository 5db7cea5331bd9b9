"""What an upstream can answer, feature by feature, in the words of each of the shapes.

A case is one whole answer a shape; ``streams.py`` tells it in pieces. A shape that is missing never
answers so. ``placeless`` names what a caller's shape has no place for: caller -> beginnings of
paths in the canonical form. Sources: the vendors' references and SDK types, read on 2026-11-21.
"""

import dataclasses

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


def chat(message=None, finish="stop", *, choices=None, usage=None, **more):
    """A chat completion."""
    rows = choices or [message if isinstance(message, dict) else {"content": message}]
    return {
        "id": "chatcmpl-9",
        "object": "chat.completion",
        "created": 1795219200,
        "model": "m",
        "choices": [
            {
                "index": at,
                "message": {"role": "assistant", "content": None, "refusal": None} | row,
                "logprobs": more.get("logprobs"),
                "finish_reason": finish,
            }
            for at, row in enumerate(rows)
        ],
        "usage": usage or {"prompt_tokens": 20, "completion_tokens": 7, "total_tokens": 27},
    } | {name: value for name, value in more.items() if name != "logprobs"}


def responses(*output, status="completed", reason=None, usage=None, **more):
    """A response."""
    return {
        "id": "resp_9",
        "object": "response",
        "created_at": 1795219200,
        "status": status,
        "error": None,
        "incomplete_details": {"reason": reason} if reason else None,
        "model": "m",
        "output": [
            {"id": f"{one['type'][:2]}_{at}", "status": status} | one
            for at, one in enumerate(output)
        ],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": usage
        or {
            "input_tokens": 20,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": 7,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": 27,
        },
    } | more


def message(*content, **more):
    """The message item of a response."""
    rows = [
        {"type": "output_text", "text": one, "annotations": [], "logprobs": []} | more
        if isinstance(one, str)
        else one
        for one in content
    ]
    return {"type": "message", "role": "assistant", "content": rows}


def messages(*content, stop="end_turn", sequence=None, usage=None, **more):
    """A message."""
    return {
        "id": "msg_9",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": [
            {"type": "text", "text": one} if isinstance(one, str) else one for one in content
        ],
        "stop_reason": stop,
        "stop_sequence": sequence,
        "usage": usage or {"input_tokens": 20, "output_tokens": 7},
    } | more


def generate(*parts, finish="STOP", candidates=None, usage=None, **more):
    """A generated answer."""
    rows = candidates or [parts]
    return {
        "candidates": [
            {
                "content": {
                    "role": "model",
                    "parts": [{"text": one} if isinstance(one, str) else one for one in row],
                },
                "finishReason": finish,
                "index": at,
            }
            | more
            for at, row in enumerate(rows)
        ],
        "usageMetadata": usage
        or {"promptTokenCount": 20, "candidatesTokenCount": 7, "totalTokenCount": 27},
        "modelVersion": "m",
        "responseId": "r9",
    }


def cohere(*content, calls=(), plan=None, finish="COMPLETE", usage=None, **more):
    """A chat of Cohere's."""
    message = {
        "role": "assistant",
        "content": [
            {"type": "text", "text": one} if isinstance(one, str) else one for one in content
        ],
        "tool_plan": plan,
        "tool_calls": list(calls),
    }
    counts = {"input_tokens": 20, "output_tokens": 7}
    return {
        "id": "c9",
        "finish_reason": finish,
        "message": {name: value for name, value in message.items() if value} | more,
        "usage": usage or {"billed_units": counts, "tokens": counts},
    }


def function(call, name, text, found):
    """One function call a shape."""
    return {
        "chat": {
            "id": call,
            "type": "function",
            "function": {"name": name, "arguments": text},
        },
        "responses": {
            "type": "function_call",
            "call_id": call,
            "name": name,
            "arguments": text,
        },
        "messages": {"type": "tool_use", "id": call, "name": name, "input": found},
        "generate": {"functionCall": {"id": call, "name": name, "args": found}},
        "cohere": {"id": call, "type": "function", "function": {"name": name, "arguments": text}},
    }


def calling(*calls, text=None):
    """An answer of calls, after some words."""
    rows = [function(*call) for call in calls]
    own = {shape: [row[shape] for row in rows] for shape in (*SHAPES, "cohere")}
    words = [text] if text else []
    return {
        "chat": chat({"content": text, "tool_calls": own["chat"]}, "tool_calls"),
        "responses": responses(*(message(one) for one in words), *own["responses"]),
        "messages": messages(*words, *own["messages"], stop="tool_use"),
        "generate": generate(*words, *own["generate"]),
        "cohere": cohere(calls=own["cohere"], plan=text, finish="TOOL_CALL"),
    }


def ending(chat_, reason, messages_, generate_):
    """A text that ends for this reason."""
    return {
        "chat": chat(TEXT, chat_),
        "responses": responses(message(TEXT), status="incomplete", reason=reason),
        "messages": messages(TEXT, stop=messages_),
        "generate": generate(TEXT, finish=generate_),
    }


SUMMARY = [{"type": "summary_text", "text": "Hm."}]
SEALED = {"type": "reasoning", "summary": SUMMARY, "encrypted_content": "Z0FBQUFB"}
THOUGHT = {"type": "thinking", "thinking": "Hm.", "signature": "c2lnbmF0dXJl"}
CITED = {"type": "url_citation", "url": URL, "title": "A", "start_index": 0, "end_index": 5}
SURE = {"token": "Y", "logprob": -0.25, "bytes": [89]}
NEXT = SURE | {"top_logprobs": [{"token": "x", "logprob": -2.5, "bytes": [120]}]}
FILTERED = ("candidates.0.category", "candidates.0.explanation")
NOWHERE = ("candidates.0.parts",)

TELLINGS = (
    Telling(
        "text",
        {
            "chat": chat(TEXT),
            "responses": responses(message(TEXT)),
            "messages": messages(TEXT),
            "generate": generate(TEXT),
        },
    ),
    Telling(
        "several texts",
        {
            "responses": responses(message("One.", "Two.")),
            "messages": messages("One.", "Two."),
            "generate": generate("One.", "Two."),
        },
    ),
    Telling("empty answer", {
        "chat": chat(""),
        "responses": responses(),
        "messages": messages(),
        "generate": generate(),
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
    }, "a messages caller reads the words as text, and `refusal` as the end; a generate caller reads the words"),
    Telling("length", ending("length", "max_output_tokens", "max_tokens", "MAX_TOKENS")),
    Telling(
        "window full",
        {"messages": messages(TEXT, stop="model_context_window_exceeded")},
        dict.fromkeys(("chat", "responses", "generate"), ("candidates.0.finish",)), "told as the limit of length",
    ),
    Telling(
        "stop sequence",
        {"messages": messages(TEXT, stop="stop_sequence", sequence="END")},
        dict.fromkeys(("chat", "responses", "generate"), ("candidates.0.finish", "candidates.0.stop_sequence")), "which one fired; the end is a plain stop",
    ),
    Telling(
        "safety block",
        ending("content_filter", "content_filter", "refusal", "SAFETY")
        | {
            "messages": messages(
                TEXT,
                stop="refusal",
                stop_details={"type": "refusal", "category": "bio", "explanation": "No."},
            )
        },
        dict.fromkeys(("chat", "responses", "generate"), FILTERED), "category and explanation",
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
        dict.fromkeys(("chat", "responses"), FILTERED), "the explanation; the end says that it was filtered",
    ),
    Telling(
        "paused, and not to be gone on with",
        {"messages": messages(TEXT, stop="pause_turn")},
        dict.fromkeys(("chat", "responses", "generate"), ("candidates.0.finish",)), "told as filtered or as unknown, never as a limit or as complete; it comes to this after eight rounds, or when the limit on the output or the money is used up",
    ),
    Telling("reasoning shown", {
        "chat": chat({"content": TEXT, "reasoning_content": "Hm."}),
        "responses": responses({"type": "reasoning", "summary": SUMMARY}, message(TEXT)),
        "messages": messages(THOUGHT, TEXT),
        "generate": generate({"text": "Hm.", "thought": True}, TEXT),
    }, dict.fromkeys(
        ("chat", "messages", "generate"), ("candidates.0.parts.0.form",)
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
    }, {"generate": ("usage.fresh", "usage.cache_write_short")}, "writes to a cache count as fresh input"),
    Telling("long cache writes", {
        "messages": messages(TEXT, usage={
            "input_tokens": 10, "cache_creation_input_tokens": 2, "output_tokens": 7,
            "cache_creation": {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 2},
        }),
    }, {
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
    }, {"messages": ("service_tier",)}, "the tier that served it, where that one has no name"),
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
    }, {"messages": ("candidates.0.parts.0.citations",)}, "in a stream, a messages caller sees the whole block cited: its words are told by then; the others are not told a source's own words"),
    Telling("images in the answer", {
        "responses": responses({"type": "image_generation_call", "result": PNG}),
        "generate": generate({"inlineData": {"mimeType": "image/png", "data": PNG}}),
    }, {"messages": NOWHERE}, "words stand for it", words_stay=False),
    Telling("audio in the answer", {
        "chat": chat({"audio": {
            "id": "audio_1", "data": WAV, "expires_at": 1795222800, "transcript": "Hi",
        }}),
        "generate": generate({"inlineData": {"mimeType": "audio/wav", "data": WAV}}),
    }, {"responses": NOWHERE, "messages": NOWHERE, "generate": ("candidates.0.parts.0.transcript",)}, "its transcript, or words that stand for it; asking for audio is refused before", words_stay=False),
    Telling("several candidates", {
        "chat": chat(choices=[{"content": "One."}, {"content": "Two."}]),
        "generate": generate(candidates=[["One."], ["Two."]]),
    }, dict.fromkeys(("responses", "messages"), ("candidates",)), "all but the first; asking for several is refused before"),
    Telling("log probabilities", {
        "chat": chat("Y", logprobs={"content": [NEXT], "refusal": None}),
        "responses": responses(message("Y", logprobs=[NEXT])),
        "generate": generate("Y", logprobsResult={
            "chosenCandidates": [{"token": "Y", "logProbability": -0.25}],
            "topCandidates": [{"candidates": [{"token": "x", "logProbability": -2.5}]}],
        }),
    }, {"messages": ("candidates.0.parts",)}, "all of them; asking for them is refused before"),
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
    }, dict.fromkeys(SHAPES, NOWHERE), "what the vendor's search found; a responses and a generate caller are told what was searched for, the others nothing of it. Sources that are cited are citations"),
    Telling("a page fetched by the vendor", {
        "messages": messages({
            "type": "server_tool_use", "id": "srvtoolu_1", "name": "web_fetch",
            "input": {"url": URL},
        }, {
            "type": "web_fetch_tool_result", "tool_use_id": "srvtoolu_1",
            "content": {"type": "web_fetch_tool_result_error", "error_code": "unavailable"},
        }, TEXT),
    }, dict.fromkeys(("chat", "responses", "generate"), NOWHERE), "all of it"),
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
    }, dict.fromkeys(SHAPES, NOWHERE), "the code and what came of it"),
)  # fmt: skip
"""In the order of the table in docs/translation.md."""
