"""What Cohere refuses in a request, as ``rules.py`` has it of the others.

Source: cohere-python 7.3.1, ``V2Client.chat`` and the types of its messages, read on 2026-11-28.
"""

import json

from cohere.types import ChatMessageV2, ToolV2
from pydantic import TypeAdapter, ValidationError

from end_to_end.features.refusing import CALL_ID, NAME, Broken, answered, data_url, must, only

SDK_MESSAGES = TypeAdapter(list[ChatMessageV2])
SDK_TOOLS = TypeAdapter(list[ToolV2])


def check(body, model):
    """Raise ``Broken`` for what the vendor's SDK has no type for, and for what it refuses."""
    try:
        SDK_MESSAGES.validate_python(body.get("messages"))
        SDK_TOOLS.validate_python(body.get("tools", []))
    except ValidationError as wrong:
        raise Broken(f"not of the SDK's types: {wrong}") from None
    only(
        body, "body", "model*", "messages*", "stream", "tools", "strict_tools", "documents",
        "citation_options", "response_format", "safety_mode", "max_tokens", "stop_sequences",
        "temperature", "seed", "frequency_penalty", "presence_penalty", "k", "p", "logprobs",
        "tool_choice", "thinking", "priority",
    )  # fmt: skip
    must(body["model"] == model, "model: not the channel's name")
    must(body["messages"], "messages: none")
    must(len(body.get("stop_sequences", ())) <= 5, "stop_sequences: more than five")
    must(0 <= body.get("temperature", 0) <= 1, "temperature: 0 to 1")
    must(0.01 <= body.get("p", 0.75) <= 0.99, "p: 0.01 to 0.99")
    must(0 <= body.get("k", 0) <= 500, "k: 0 to 500")
    for name in ("frequency_penalty", "presence_penalty"):
        must(0 <= body.get(name, 0) <= 1, f"{name}: 0 to 1")
    must(body.get("tool_choice", "NONE") in ("REQUIRED", "NONE"), "tool_choice: unknown")
    if "tools" not in body:
        must("tool_choice" not in body and "strict_tools" not in body, "tool_choice: no tools")
    for tool in body.get("tools", ()):
        only(tool, "tools", "type*", "function*")
        only(tool["function"], "tools.function", "name*", "description", "parameters*")
        must(NAME.fullmatch(tool["function"]["name"]), "tools: a bad name")
    form = body.get("response_format")
    if form is not None:
        only(form, "response_format", "type*", "json_schema")
        must(form["type"] in ("text", "json_object"), "response_format: unknown")
        must("tools" not in body and "documents" not in body, "response_format: beside tools")
    thinking = body.get("thinking")
    if thinking is not None:
        only(thinking, "thinking", "type*", "token_budget")
        must(thinking.get("token_budget", 1) >= 1, "thinking: a bad budget")
    _cohere_messages(body["messages"])


COHERE = {
    "system": ("role*", "content*"),
    "user": ("role*", "content*"),
    "assistant": ("role*", "content", "tool_plan", "tool_calls", "citations"),
    "tool": ("role*", "content*", "tool_call_id*"),
}
COHERE_PARTS = {
    "system": ("text",),
    "user": ("text", "image_url"),
    "assistant": ("text", "thinking"),
    "tool": ("text", "document"),
}


def _cohere_messages(messages):
    asked, given = [], []
    for at, message in enumerate(messages):
        where, role = f"messages[{at}]", message["role"]
        must(role in COHERE, f"{where}: role {role}")
        only(message, where, *COHERE[role])
        if role == "tool":
            given.append(message["tool_call_id"])
        else:
            answered(asked, given, where)
            asked, given = [], []
        content = message.get("content")
        if isinstance(content, list):
            must(content, f"{where}: no content")
            for part in content:
                kind = part["type"]
                must(kind in COHERE_PARTS[role], f"{where}: a part {kind}")
                only(part, where, "type*", f"{kind}*")
                if kind == "image_url":
                    data_url(part[kind]["url"], where)
                if kind == "document":
                    only(part[kind], where, "data*", "id")
        for call in message.get("tool_calls") or ():
            only(call, where, "id*", "type*", "function*")
            must(CALL_ID.fullmatch(call["id"]), f"{where}: a bad id")
            json.loads(call["function"]["arguments"])
            asked.append(call["id"])
        if role == "assistant":
            must(content or message.get("tool_plan") or asked, f"{where}: says nothing")
    answered(asked, given, "the end of messages")
