"""Tools, calls, results and choices among tools. See ``asking.py``."""

from end_to_end.features.asking import (
    EMPTY,
    NOTHING,
    OSLO,
    PNG,
    ROME,
    WRITTEN,
    Asking,
    called,
    calling,
    function,
    said,
    tooled,
)

GRAMMAR = {"syntax": "regex", "definition": "[a-z]+"}
DATA_URL = f"data:image/png;base64,{PNG}"


def _result(content):
    """One call whose result is this in the shapes named."""
    return {shape: called(shape, ROME, results=[own]) for shape, own in content.items()}


def _custom(grammar=None):
    inner = {"name": "sql", "description": "Runs it."}
    if grammar is None:
        return {
            "chat": tooled("chat", tools=[{"type": "custom", "custom": inner}]),
            "responses": tooled("responses", tools=[{"type": "custom"} | inner]),
        }
    chat = inner | {"format": {"type": "grammar", "grammar": grammar}}
    flat = inner | {"format": {"type": "grammar"} | grammar}
    return {
        "chat": tooled("chat", tools=[{"type": "custom", "custom": chat}]),
        "responses": tooled("responses", tools=[{"type": "custom"} | flat]),
    }


def _custom_call():
    chat = _custom()["chat"]
    call = {"id": "call_1", "type": "custom", "custom": {"name": "sql", "input": "SELECT 1"}}
    chat["messages"] += [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1", "content": "1"},
    ]
    responses = _custom()["responses"]
    responses["input"] += [
        {"type": "custom_tool_call", "call_id": "call_1", "name": "sql", "input": "SELECT 1"},
        {"type": "custom_tool_call_output", "call_id": "call_1", "output": "1"},
    ]
    return {"chat": chat, "responses": responses}


def _choices(**choices):
    """Two tools and this choice a shape."""
    out = {}
    for shape, choice in choices.items():
        slot = "toolConfig" if shape == "generate" else "tool_choice"
        if shape == "generate":
            rows = [function(shape, name)["functionDeclarations"][0] for name in ("look", "now")]
            tools = [{"functionDeclarations": rows}]
        else:
            tools = [function(shape, "look"), function(shape, "now")]
        out[shape] = tooled(shape, tools=tools, **{slot: choice})
    return out


def _mode(mode, *names):
    return {
        "functionCallingConfig": {"mode": mode}
        | ({"allowedFunctionNames": list(names)} if names else {})
    }


def _named(*names):
    return [{"type": "function", "name": name} for name in names]


def _searching(**tools):
    return {
        shape: said(shape, ("user", "News?"), **own)
        if isinstance(own, dict)
        else said(shape, ("user", "News?"), tools=own)
        for shape, own in tools.items()
    }


TOOLING = (
    Asking("tools", {shape: tooled(shape) for shape in WRITTEN}),
    Asking(
        "strict tools",
        {
            shape: tooled(shape, tools=[function(shape, strict=True)])
            for shape in ("chat", "responses", "messages")
        }
        | {"cohere": tooled("cohere", strict_tools=True)},
        ("tools.0.strict",),
    ),
    Asking("call and result", calling(ROME, results=["Sunny."])),
    Asking("parallel calls", calling(ROME, OSLO, results=["Sunny.", "Rainy."])),
    Asking("call without arguments", calling(EMPTY, results=["12:00"])),
    Asking(
        "forced call",
        _choices(
            chat="required",
            responses="required",
            messages={"type": "any"},
            generate=_mode("ANY"),
            cohere="REQUIRED",
        ),
    ),
    Asking(
        "forced call of one tool",
        _choices(
            chat={"type": "function", "function": {"name": "now"}},
            responses={"type": "function", "name": "now"},
            messages={"type": "tool", "name": "now"},
            generate=_mode("ANY", "now"),
        ),
        ("choice", "tools"),
    ),
    Asking(
        "no call",
        _choices(
            chat="none",
            responses="none",
            messages={"type": "none"},
            generate=_mode("NONE"),
            cohere="NONE",
        ),
        ("choice", "tools"),
    ),
    Asking(
        "some tools allowed",
        _choices(
            chat={
                "type": "allowed_tools",
                "allowed_tools": {
                    "mode": "auto",
                    "tools": [{"type": "function", "function": {"name": "look"}}],
                },
            },
            responses={"type": "allowed_tools", "mode": "auto", "tools": _named("look")},
        ),
    ),
    Asking(
        "some tools forced",
        dict(
            _choices(
                chat={
                    "type": "allowed_tools",
                    "allowed_tools": {
                        "mode": "required",
                        "tools": [
                            {"type": "function", "function": {"name": name}}
                            for name in ("look", "now")
                        ],
                    },
                },
                responses={
                    "type": "allowed_tools",
                    "mode": "required",
                    "tools": _named("look", "now"),
                },
                generate=_mode("ANY", "look", "now"),
            ).items()
        ),
    ),
    Asking(
        "no parallel calls",
        {
            "chat": tooled("chat", parallel_tool_calls=False),
            "responses": tooled("responses", parallel_tool_calls=False),
            "messages": tooled(
                "messages", tool_choice={"type": "auto", "disable_parallel_tool_use": True}
            ),
        },
        ("parallel",),
    ),
    Asking(
        "tool result with an image",
        _result(
            {
                "responses": [{"type": "input_image", "image_url": DATA_URL}],
                "messages": {
                    "content": [
                        {
                            "type": "image",
                            "source": {"type": "base64", "media_type": "image/png", "data": PNG},
                        }
                    ]
                },
                "generate": {
                    "response": {},
                    "parts": [{"inlineData": {"mimeType": "image/png", "data": PNG}}],
                },
            }
        ),
        ("turns",),
        (PNG,),
    ),
    Asking(
        "tool result that is an error",
        _result(
            {
                "messages": {"content": "No such city.", "is_error": True},
                "generate": {"response": {"error": "No such city."}},
            }
        ),
        ("turns.2.parts.0",),
    ),
    Asking("custom tools", _custom()),
    Asking("custom call and result", _custom_call()),
    Asking("grammar tools", _custom(GRAMMAR), ("tools.0",), ("[a-z]+",)),
    Asking(
        "web search",
        _searching(
            chat={"web_search_options": {}},
            responses=[{"type": "web_search"}],
            messages=[{"type": "web_search_20250305", "name": "web_search"}],
            generate=[{"googleSearch": {}}],
        ),
    ),
    Asking(
        "web search of some sites",
        _searching(
            responses=[{"type": "web_search", "filters": {"allowed_domains": ["example.org"]}}],
            messages=[
                {
                    "type": "web_search_20250305",
                    "name": "web_search",
                    "allowed_domains": ["example.org"],
                }
            ],
        ),
    ),
    Asking(
        "running code",
        _searching(
            responses=[{"type": "code_interpreter", "container": {"type": "auto"}}],
            messages=[{"type": "code_execution_20250825", "name": "code_execution"}],
            generate=[{"codeExecution": {}}],
        ),
    ),
    Asking(
        "a tool of the caller's that a vendor describes",
        _searching(
            messages=[
                {"type": "bash_20250124", "name": "bash"},
                {
                    "type": "text_editor_20250728",
                    "name": "str_replace_based_edit_tool",
                    "max_characters": 9000,
                },
                {"type": "memory_20250818", "name": "memory"},
            ],
        ),
        allowed=("tools",),
    ),
    Asking(
        "a vendor's own tool",
        _searching(
            responses=[
                {
                    "type": "mcp",
                    "server_label": "a",
                    "server_url": "https://example.org",
                    "require_approval": "never",
                }
            ],
            messages=[
                {
                    "type": "computer_20250124",
                    "name": "computer",
                    "display_width_px": 1024,
                    "display_height_px": 768,
                }
            ],
            generate=[{"googleMaps": {}}],
        ),
    ),
    Asking(
        "an empty object as parameters",
        {shape: tooled(shape, tools=[function(shape, schema=NOTHING)]) for shape in WRITTEN},
    ),
)
