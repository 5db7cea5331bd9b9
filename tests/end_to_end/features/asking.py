"""What a caller can ask for, feature by feature, in the words of each of the six shapes.

A case is one request a shape, as small as the feature allows. A shape that is missing has no words
for the feature. ``allowed`` names the places of the canonical form (``canonical.py``) that may
differ where the loss is reported: everything else must arrive even then.
Sources: the vendors' references and SDK types, read on 2026-11-21.
"""

import dataclasses

SHAPES = ("chat", "responses", "messages", "generate", "converse", "cohere")
"""Shapes that callers and upstreams speak."""
WRITTEN = tuple(shape for shape in SHAPES if shape != "converse")
"""Those whose requests are written here; the words of the other are in ``conversing.py``."""

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
PDF = "JVBERi0xLjQKJSVFT0YK"
WAV = "UklGRiQAAABXQVZFZm10IA=="
IMAGE_URL = "https://example.org/cat.png"
CITY = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
}
NOTHING = {"type": "object", "properties": {}}


@dataclasses.dataclass(frozen=True)
class Asking:
    """One feature of requests."""

    title: str
    bodies: dict
    """Shape -> the caller's body. ``generate`` has no model: it stands in the path."""
    allowed: tuple = ()
    """Beginnings of paths in the canonical form that may differ where a loss is reported."""
    kept: tuple = ()
    """Words that reach the upstream even then, wherever they stand; of a tuple one of them."""
    same: dict = dataclasses.field(default_factory=dict)
    """Upstream -> beginnings of paths that may differ there, because it means the same."""


def said(shape, *turns, **members):
    """A request of these turns: (role, content in the shape's own words)."""
    if shape == "generate":
        contents = [
            {"role": "model" if role == "assistant" else role, "parts": parts(shape, content)}
            for role, content in turns
        ]
        config = {"maxOutputTokens": 64} | members.pop("generationConfig", {})
        return {"contents": contents, "generationConfig": config} | members
    rows = [{"role": role, "content": content} for role, content in turns]
    limit = {"chat": "max_completion_tokens", "responses": "max_output_tokens"}.get(
        shape, "max_tokens"
    )
    slot = "input" if shape == "responses" else "messages"
    return {"model": "m", limit: 64, slot: rows} | members


def parts(shape, content):
    """Content of generate is always a list."""
    return [{"text": content}] if isinstance(content, str) else content


def every(**members):
    """The same greeting in the shapes named, with members of their own."""
    return {shape: said(shape, ("user", "Hello"), **own) for shape, own in members.items()}


def asked(**content):
    """One user turn with this content a shape."""
    return {shape: said(shape, ("user", own)) for shape, own in content.items()}


def config(**members):
    """Members of generate's ``generationConfig``."""
    return {"generationConfig": members}


def function(shape, name="look", schema=CITY, **more):
    """One declared function."""
    if shape in ("chat", "cohere"):
        inner = {"name": name, "description": "Looks.", "parameters": schema} | more
        return {"type": "function", "function": inner}
    if shape == "responses":
        inner = {"name": name, "description": "Looks.", "parameters": schema, "strict": False}
        return {"type": "function"} | inner | more
    if shape == "messages":
        return {"name": name, "description": "Looks.", "input_schema": schema} | more
    return {
        "functionDeclarations": [
            {"name": name, "description": "Looks.", "parametersJsonSchema": schema} | more
        ]
    }


def tooled(shape, *turns, tools=None, **members):
    """A request with one function."""
    return said(
        shape, *(turns or [("user", "Weather?")]), tools=tools or [function(shape)], **members
    )


def called(shape, *calls, results):
    """A question, calls and their results; a call is (id, name, arguments text, object)."""
    if shape in ("chat", "cohere"):
        rows = [
            {"id": one, "type": "function", "function": {"name": name, "arguments": text}}
            for one, name, text, _ in calls
        ]
        body = said(shape, ("user", "Weather?"))
        body["messages"] += [
            {"role": "assistant", "tool_calls": rows},
            *(
                {"role": "tool", "tool_call_id": one[0], "content": result}
                for one, result in zip(calls, results, strict=True)
            ),
        ]
    elif shape == "responses":
        body = said(shape, ("user", "Weather?"))
        body["input"] += [
            *(
                {"type": "function_call", "call_id": one, "name": name, "arguments": text}
                for one, name, text, _ in calls
            ),
            *(
                {"type": "function_call_output", "call_id": one[0], "output": result}
                for one, result in zip(calls, results, strict=True)
            ),
        ]
    elif shape == "messages":
        body = said(
            shape,
            ("user", "Weather?"),
            (
                "assistant",
                [
                    {"type": "tool_use", "id": one, "name": name, "input": found}
                    for one, name, _, found in calls
                ],
            ),
            (
                "user",
                [
                    {"type": "tool_result", "tool_use_id": one[0]}
                    | (result if isinstance(result, dict) else {"content": result})
                    for one, result in zip(calls, results, strict=True)
                ],
            ),
        )
    else:
        body = said(
            shape,
            ("user", "Weather?"),
            (
                "assistant",
                [
                    {"functionCall": {"id": one, "name": name, "args": found}}
                    for one, name, _, found in calls
                ],
            ),
            (
                "user",
                [
                    {
                        "functionResponse": {"id": one[0], "name": one[1]}
                        | (result if isinstance(result, dict) else {"response": {"output": result}})
                    }
                    for one, result in zip(calls, results, strict=True)
                ],
            ),
        )
    names = dict.fromkeys(one[1] for one in calls)
    own = [function(shape, name) for name in names]
    if shape == "generate":
        own = [{"functionDeclarations": [row["functionDeclarations"][0] for row in own]}]
    return body | {"tools": own}


def calling(*calls, results):
    """The same history in every shape."""
    return {shape: called(shape, *calls, results=results) for shape in WRITTEN}


ROME = ("call_1", "look", '{"city":"Rome"}', {"city": "Rome"})
OSLO = ("call_2", "look", '{"city":"Oslo"}', {"city": "Oslo"})
EMPTY = ("call_3", "now", "{}", {})


def cached(shape):
    """A mark on the one block of a user's turn."""
    mark = {"type": "ephemeral"}
    if shape == "messages":
        return said(shape, ("user", [{"type": "text", "text": "Hello", "cache_control": mark}]))
    kind = "text" if shape == "chat" else "input_text"
    wish = {"prompt_cache_breakpoint": {"mode": "explicit"}}
    return said(shape, ("user", [{"type": kind, "text": "Hello"} | wish]))


def middle(shape):
    """An instruction between two turns."""
    return said(shape, ("user", "Hello"), ("system", "Be brief."), ("user", "Go on."))
