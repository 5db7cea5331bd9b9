"""Requests of n of what few callers send many of, shape by shape: beside those of ``asked.py``."""

from trivium.conversation.opaque import (
    REASONING_ITEM,
    SIGNATURE,
    THOUGHT_SIGNATURE,
    Opaque,
    StateOrigin,
)
from trivium.secret import Keyring
from trivium.wire.envelope import sealer

KEYS = Keyring(b"k" * 32)
USER_ID = 7
SEAL = sealer(KEYS, USER_ID)
SIGNED = SEAL((Opaque(SIGNATURE, b"sig", StateOrigin("messages", "p", "main")),))
"""What a caller was given for the state of a thought of the messages shape."""

RIDES = SEAL((Opaque(THOUGHT_SIGNATURE, b"c2ln", StateOrigin("generate", "p", "main")),))
"""The same of what belongs to a text or a call of the generate shape."""


def _item(i):
    """The same of the responses shape: an item of its own."""
    data = b'{"type":"reasoning","id":"rs_%d","summary":[]}' % i
    return SEAL((Opaque(REASONING_ITEM, data, StateOrigin("responses", "p", "main")),))


def _many(n):
    return {f"x_{i}": i for i in range(n)}


def chat(n):
    """By name, the members beside ``model``."""
    asks = {"role": "user", "content": "Hi"}
    return {
        "functions": lambda: {"messages": [asks], "functions": [{"name": f"t{i}", "parameters": {"type": "object"}} for i in range(n)]},
        "modalities": lambda: {"messages": [asks], "modalities": ["text"] * n},
        "instructions_of_parts": lambda: {"messages": [{"role": "system", "content": [{"type": "text", "text": "be"}] * n}, asks]},
        "unknown_of_a_tool": lambda: {"messages": [asks], "tools": [{"type": "function", "function": {"name": "t", **_many(n)}, **_many(n)}]},
    }  # fmt: skip


def responses(n):
    """By name, the members beside ``model``."""
    asks = {"role": "user", "content": "Hi"}
    tools = [{"type": "function", "name": f"t{i}", "parameters": {}} for i in range(n)]

    def called(i):
        yield {"type": "function_call", "call_id": f"c{i}", "name": "t", "arguments": "{}"}
        yield {"type": "function_call_output", "call_id": f"c{i}", "output": "ok"}

    def thought(i):
        return {"type": "reasoning", "id": f"rs_{i}", "summary": [], "encrypted_content": _item(i)}

    rides = {"type": "reasoning", "id": "rs", "summary": [], "encrypted_content": RIDES}
    return {
        "filtered_search": lambda: {"input": "Hi", "tools": [{"type": "web_search", "filters": _many(n)}]},
        "unknown_of_a_search": lambda: {"input": "Hi", "tools": [{"type": "web_search", **_many(n)}]},
        "chosen_tools": lambda: {"input": "Hi", "tools": tools, "tool_choice": {"type": "allowed_tools", "mode": "auto", "tools": [{"type": "function", "name": f"t{i}"} for i in range(n)]}},
        "named_tool": lambda: {"input": "Hi", "tools": tools, "tool_choice": {"type": "function", "name": f"t{n - 1}"}},
        "found_by_a_search": lambda: {"input": [asks, {"type": "tool_search_call", "call_id": "c", "arguments": {}, "execution": "client"}, {"type": "tool_search_output", "call_id": "c", "tools": tools, "execution": "client", "status": "completed"}]},
        "sealed_thoughts": lambda: {"input": [asks, *[thought(i) for i in range(n)], *called(0)]},
        "sealed_after_a_text": lambda: {"input": [asks, {"role": "assistant", "content": [{"type": "output_text", "text": "a"}]}, *[rides] * n, asks]},
        "sealed_after_texts": lambda: {"input": [asks, {"role": "assistant", "content": [{"type": "output_text", "text": "a"}] * n}, *[rides] * n, asks]},
        "sealed_before_calls": lambda: {"input": [asks, *[one for i in range(n // 3) for one in (rides, *called(i))]]},
        "sealed_thoughts_between": lambda: {"input": [asks, *[one for i in range(n // 3) for one in (thought(i), *called(i))]]},
    }  # fmt: skip


def messages(n):
    """By name, the members beside ``model`` and ``max_tokens``."""
    asks = {"role": "user", "content": "Hi"}
    thinks = {"type": "thinking", "thinking": "t", "signature": SIGNED}
    tools = [{"name": f"t{i}", "input_schema": {"type": "object"}} for i in range(n)]

    def after(*content, answer="go on", **more):
        said = [
            {"role": "assistant", "content": list(content)},
            {"role": "user", "content": answer},
        ]
        return {"messages": [asks, *said], **more}

    def results(i):
        return [
            {"type": "tool_result", "tool_use_id": f"c{at}", "content": "ok"} for at in range(i)
        ]

    calls = [{"type": "tool_use", "id": f"c{i}", "name": "t", "input": {}} for i in range(n)]
    return {
        "sealed_thoughts": lambda: after(*[thinks] * n, {"type": "text", "text": "a"}),
        "sealed_thoughts_alone": lambda: after(*[thinks] * n),
        "sealed_after_a_text": lambda: after({"type": "text", "text": "a"}, *[{"type": "thinking", "thinking": "", "signature": RIDES}] * n, {"type": "text", "text": "b"}),
        "thinking_of_results": lambda: after(*calls, answer=results(n), max_tokens=4096, thinking={"type": "enabled", "budget_tokens": 2048}),
        "unknown_of_a_client_tool": lambda: {"messages": [asks], "tools": [{"type": "bash_20250124", "name": "bash", **_many(n)}]},
        "named_tool": lambda: {"messages": [asks], "tools": tools, "tool_choice": {"type": "tool", "name": f"t{n - 1}"}},
    }  # fmt: skip


def generate(n):
    """By name, the members."""
    asks = {"role": "user", "parts": [{"text": "Hi"}]}
    text, thought = {"text": "a"}, {"text": "t", "thought": True}
    hidden = {"text": "", "thoughtSignature": SIGNED}

    def of(*parts):
        return {"contents": [asks, {"role": "model", "parts": list(parts)}, asks]}

    return {
        "modalities": lambda: {"contents": [asks], "generationConfig": {"responseModalities": ["TEXT"] * n}},
        "unknown_beside_no_text": lambda: of({"text": "", **_many(n)}),
        "sealed_after_texts": lambda: of(*[text] * n, *[hidden] * n),
        "sealed_after_thoughts": lambda: of(*[thought] * n, *[hidden] * n),
        "sealed_after_each_thought": lambda: of(*[thought, text, hidden] * (n // 3)),
        "sealed_texts": lambda: of(*[text | {"thoughtSignature": SIGNED}] * n),
    }  # fmt: skip


SELDOM = {"chat": chat, "responses": responses, "messages": messages, "generate": generate}
