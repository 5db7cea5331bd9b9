"""What each vendor refuses in a request: members, order of turns, pairs of calls, ids, lengths.

Small and strict: what is not known here is an error. Sources: the vendors' references and SDK
types, read on 2026-11-21.
"""

import json
import re

from end_to_end.features import amazon, rules_cohere
from end_to_end.features.refusing import (
    BASE64,
    CALL_ID,
    NAME,
    Broken,
    answered,
    data_url,
    must,
    only,
)

__all__ = ["Broken", "check", "must"]

GOOGLE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.:-]{0,63}")


def check(shape, body, model="m"):
    """Raise ``Broken`` for what a vendor of this shape refuses."""
    {
        "chat": _chat,
        "responses": _responses,
        "messages": _messages,
        "generate": _generate,
        "converse": amazon.asked,
        "cohere": rules_cohere.check,
    }[shape](body, model)


def _chat(body, model):
    only(
        body, "body", "model*", "messages*", "audio", "frequency_penalty", "presence_penalty",
        "logit_bias", "logprobs", "top_logprobs", "max_completion_tokens", "max_tokens", "metadata",
        "modalities", "n", "parallel_tool_calls", "prediction", "prompt_cache_key",
        "reasoning_effort", "response_format", "safety_identifier", "seed", "service_tier", "stop",
        "store", "stream", "stream_options", "temperature", "top_p", "tool_choice", "tools", "user",
        "verbosity", "web_search_options",
    )  # fmt: skip
    must(body["model"] == model, "model: not the channel's name")
    must(body["messages"], "messages: none")
    must(len(body.get("stop", ())) <= 4, "stop: more than four")
    must(len(body.get("user") or "") <= 64, "user: too long")
    must("stream_options" not in body or body.get("stream") is True, "stream_options: no stream")
    if "tools" not in body:
        for name in ("tool_choice", "parallel_tool_calls"):
            must(name not in body, f"{name}: no tools")
    for tool in body.get("tools", ()):
        kind = tool["type"]
        only(tool, "tools", "type*", f"{kind}*")
        must(NAME.fullmatch(tool[kind]["name"]), "tools: a bad name")
        if kind == "function":
            only(tool[kind], "tools.function", "name*", "description", "parameters", "strict")
    form = body.get("response_format", {})
    if form.get("type") == "json_schema":
        only(form["json_schema"], "json_schema", "name*", "description", "schema", "strict")
        must(NAME.fullmatch(form["json_schema"]["name"]), "json_schema.name: bad")
    _chat_messages(body["messages"])


def _chat_messages(messages):
    asked, given = [], []
    for at, message in enumerate(messages):
        where, role = f"messages[{at}]", message["role"]
        if role != "tool":
            answered(asked, given, where)
            asked, given = [], []
        if role == "tool":
            only(message, where, "role*", "content*", "tool_call_id*")
            given.append(message["tool_call_id"])
        elif role == "assistant":
            only(
                message, where, "role*", "content", "refusal", "name", "tool_calls", "audio",
                "reasoning_content", "reasoning_details", "annotations",
            )  # fmt: skip
            for call in message.get("tool_calls") or ():
                kind = call["type"]
                # OpenAI's stream helpers leave the place in the stream on a call
                only(call, where, "id*", "type*", f"{kind}*", "extra_content", "index")
                must(len(call["id"]) <= 40 and CALL_ID.fullmatch(call["id"]), f"{where}: a bad id")
                if kind == "function":
                    json.loads(call["function"]["arguments"])
                asked.append(call["id"])
            spoken = message.get("content") or message.get("refusal") or message.get("audio")
            must(spoken is not None or asked, f"{where}: says nothing")
        else:
            must(role in ("system", "developer", "user"), f"{where}: role {role}")
            only(message, where, "role*", "content*", "name")
            _chat_parts(message["content"], where)
    answered(asked, given, "the end of messages")


def _chat_parts(content, where):
    if isinstance(content, str):
        return
    must(content, f"{where}: no parts")
    for part in content:
        kind = part["type"]
        must(kind in ("text", "image_url", "input_audio", "file"), f"{where}: a part {kind}")
        only(part, where, "type*", f"{kind}*", "prompt_cache_breakpoint")
        if kind == "image_url":
            data_url(part[kind]["url"], where)


def _responses(body, model):
    only(
        body, "body", "model*", "input*", "instructions", "include", "max_output_tokens",
        "metadata", "parallel_tool_calls", "prompt_cache_key", "reasoning", "safety_identifier",
        "service_tier", "store", "stream", "temperature", "text", "tool_choice", "tools",
        "top_logprobs", "top_p", "user", "truncation",
    )  # fmt: skip
    must(body["model"] == model, "model: not the channel's name")
    must(body.get("max_output_tokens", 16) >= 16, "max_output_tokens: below 16")
    for tool in body.get("tools", ()):
        if tool["type"] == "function":
            only(tool, "tools", "type*", "name*", "description", "parameters*", "strict*")
            must(NAME.fullmatch(tool["name"]), "tools: a bad name")
    if "tools" not in body:
        must("tool_choice" not in body, "tool_choice: no tools")
    if isinstance(body["input"], list):
        must(body["input"], "input: empty")
        _items(body["input"])


ITEMS = {
    "message": ("type", "role*", "content*", "phase", "id", "status"),
    "function_call": ("type*", "call_id*", "name*", "arguments*", "id", "status", "namespace"),
    "function_call_output": ("type*", "call_id*", "output*", "id", "status"),
    "custom_tool_call": ("type*", "call_id*", "name*", "input*", "id", "status"),
    "custom_tool_call_output": ("type*", "call_id*", "output*", "id", "status"),
    "reasoning": ("type*", "id*", "summary*", "content", "encrypted_content", "status"),
}


def _items(items):
    asked, given = [], []
    for at, item in enumerate(items):
        where, kind = f"input[{at}]", item.get("type", "message")
        must(kind in ITEMS, f"{where}: an item {kind}")
        only(item, where, *ITEMS[kind])
        if kind.endswith("_output"):
            given.append(item["call_id"])
        elif kind.endswith("_call"):
            must(len(item["call_id"]) <= 64 and CALL_ID.fullmatch(item["call_id"]), f"{where}: id")
            asked.append(item["call_id"])
        elif kind == "reasoning":
            follows = items[at + 1].get("type", "message") if at + 1 < len(items) else None
            last = follows is None or follows.endswith("_output")
            must(not last, f"{where}: reasoning that nothing follows")
        elif isinstance(item["content"], list):
            spoken = ("output_text", "refusal")
            heard = ("input_text", "input_image", "input_file", "input_audio")
            known = spoken if item["role"] == "assistant" else heard
            for part in item["content"]:
                must(part["type"] in known, f"{where}: {part['type']} of the {item['role']}")
                if "image_url" in part:
                    data_url(part["image_url"], where)
    answered(asked, given, "input")


def _messages(body, model):
    only(
        body, "body", "model*", "messages*", "max_tokens*", "system", "stream", "stop_sequences",
        "temperature", "top_p", "top_k", "metadata", "tools", "tool_choice", "thinking",
        "output_config", "cache_control", "service_tier", "speed",
    )  # fmt: skip
    must(body["model"] == model, "model: not the channel's name")
    must(body["max_tokens"] >= 1, "max_tokens: below 1")
    must(0 <= body.get("temperature", 0) <= 1, "temperature: 0 to 1")
    thinking = body.get("thinking", {})
    if thinking.get("type") == "enabled":
        must(1024 <= thinking["budget_tokens"] < body["max_tokens"], "thinking: a bad budget")
    for tool in body.get("tools", ()):
        if "type" not in tool:
            only(
                tool, "tools", "name*", "description", "input_schema*", "strict", "cache_control",
                "eager_input_streaming",
            )  # fmt: skip
            must(tool["input_schema"].get("type") == "object", "input_schema: no object")
            must(len(tool["name"]) <= 128 and CALL_ID.fullmatch(tool["name"]), "tools: a bad name")
    must("tool_choice" not in body or "tools" in body, "tool_choice: no tools")
    _closed(body.get("output_config", {}).get("format", {}).get("schema", {}))
    must(body["messages"][0]["role"] == "user", "messages[0]: not the user's")
    asked = []
    for at, message in enumerate(body["messages"]):
        where = f"messages[{at}]"
        only(message, where, "role*", "content*")
        must(message["role"] in ("user", "assistant"), f"{where}: role {message['role']}")
        before = body["messages"][at - 1]["role"] if at else None
        must(message["role"] != before, f"{where}: two turns of one role")
        asked = _blocks(message, asked, where)
    must(not asked, "messages: calls without results at the end")


LIMITS = {
    "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength",
    "maxLength", "maxItems", "uniqueItems",
}  # fmt: skip
"""Keywords that structured output of messages refuses."""


def _closed(schema):
    """Objects of a schema for messages are closed, and nothing has limits."""
    if isinstance(schema, list):
        for one in schema:
            _closed(one)
    elif isinstance(schema, dict):
        if schema.get("type") == "object":
            must(schema.get("additionalProperties") is False, "schema: an open object")
        must(not LIMITS & schema.keys(), f"schema: {sorted(LIMITS & schema.keys())}")
        for name, inner in schema.items():
            properties = name in ("properties", "$defs") and isinstance(inner, dict)
            _closed(list(inner.values()) if properties else inner)


BLOCKS = {
    "text": ("text*", "citations"),
    "image": ("source*",),
    "document": ("source*", "title", "context", "citations"),
    "search_result": ("source*", "title*", "content*", "citations"),
    "thinking": ("thinking*", "signature*"),
    "redacted_thinking": ("data*",),
    "tool_use": ("id*", "name*", "input*"),
    "tool_result": ("tool_use_id*", "content", "is_error"),
}


def _blocks(message, asked, where):
    content = message["content"]
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    must(content, f"{where}: no content")
    given, calls, other = [], [], False
    for block in content:
        kind = block["type"]
        must(kind in BLOCKS, f"{where}: a block {kind}")
        only(block, where, "type*", "cache_control", *BLOCKS[kind])
        if kind == "text":
            must(block["text"].strip(), f"{where}: blank text")
        elif kind == "tool_result":
            must(not other, f"{where}: results after other blocks")
            given.append(block["tool_use_id"])
        elif kind == "tool_use":
            must(CALL_ID.fullmatch(block["id"]) and len(block["id"]) <= 64, f"{where}: a bad id")
            must(isinstance(block["input"], dict), f"{where}: input is no object")
            calls.append(block["id"])
        elif kind in ("thinking", "redacted_thinking"):
            must(message["role"] == "assistant" and not calls, f"{where}: thinking out of place")
        other = other or kind != "tool_result"
    must(bool(given) <= (message["role"] == "user"), f"{where}: results of the assistant")
    answered(asked, given, where)
    return calls


PARTS = ("text", "inlineData", "fileData", "functionCall", "functionResponse", "executableCode",
         "codeExecutionResult")  # fmt: skip


OWN = {"args", "response", "labels", "parametersJsonSchema", "responseJsonSchema"}
"""Members whose inside is the user's."""


def _camel(value):
    """Names as protobuf spells them in JSON; it takes the other spelling too, and SDKs mix them."""
    if isinstance(value, list):
        return [_camel(one) for one in value]
    if not isinstance(value, dict):
        return value
    out = {}
    for name, inner in value.items():
        first, *rest = name.split("_")
        spelled = first + "".join(word.capitalize() for word in rest)
        out[spelled] = inner if spelled in OWN else _camel(inner)
    return out


def _generate(body, model):
    body = _camel(body)
    only(
        body, "body", "contents*", "systemInstruction", "tools", "toolConfig", "safetySettings",
        "generationConfig", "cachedContent", "labels", "serviceTier", "store", "model",
    )  # fmt: skip
    must(body.get("model", f"models/{model}") == f"models/{model}", "model: not the path's")
    config = body.get("generationConfig", {})
    only(
        config, "generationConfig", "temperature", "topP", "topK", "candidateCount",
        "maxOutputTokens", "stopSequences", "seed", "presencePenalty", "frequencyPenalty",
        "responseLogprobs", "logprobs", "responseMimeType", "responseSchema", "responseJsonSchema",
        "responseModalities", "mediaResolution", "thinkingConfig", "speechConfig",
    )  # fmt: skip
    must(len(config.get("stopSequences", ())) <= 5, "stopSequences: more than five")
    if "responseJsonSchema" in config or "responseSchema" in config:
        must(config.get("responseMimeType"), "a schema without a media type")
    _known(config.get("responseJsonSchema", {}))
    thinking = config.get("thinkingConfig", {})
    must(not {"thinkingBudget", "thinkingLevel"} <= thinking.keys(), "budget and level")
    for tool in body.get("tools", ()):
        for row in tool.get("functionDeclarations", ()):
            only(
                row, "functionDeclarations", "name*", "description", "parameters",
                "parametersJsonSchema", "behavior", "response",
            )  # fmt: skip
            must(GOOGLE_NAME.fullmatch(row["name"]), "functionDeclarations: a bad name")
    must(body["contents"][0].get("role", "user") == "user", "contents[0]: not the user's")
    asked = []
    for at, content in enumerate(body["contents"]):
        asked = _contents(content, asked, f"contents[{at}]")
    must(not asked, "contents: calls without results at the end")


KEYWORDS = {
    "$schema", "$id", "$defs", "$ref", "$anchor", "type", "format", "title", "description", "enum", "items",
    "prefixItems", "minItems", "maxItems", "minimum", "maximum", "anyOf", "oneOf", "properties",
    "additionalProperties", "required", "propertyOrdering", "nullable", "default",
}  # fmt: skip
"""What ``responseJsonSchema`` takes, and what SDKs of the vendor and of Vercel send it."""


def _known(schema):
    """A schema for generate has no other keywords."""
    if isinstance(schema, list):
        for one in schema:
            _known(one)
    elif isinstance(schema, dict):
        must(schema.keys() <= KEYWORDS, f"schema: {sorted(schema.keys() - KEYWORDS)}")
        for name, inner in schema.items():
            if name in ("properties", "$defs"):
                _known(list(inner.values()))
            elif name not in ("enum", "required", "default", "propertyOrdering"):
                _known(inner)


def _contents(content, asked, where):
    only(content, where, "role", "parts*")
    must(content["parts"], f"{where}: no parts")
    must(content.get("role", "user") in ("user", "model"), f"{where}: role {content['role']}")
    calls, given = [], []
    for part in content["parts"]:
        kinds = [name for name in PARTS if name in part]
        must(len(kinds) == 1, f"{where}: a part of {kinds}")
        only(part, where, *PARTS, "thought", "thoughtSignature", "mediaResolution")
        if kinds == ["functionCall"]:
            must(content.get("role") == "model", f"{where}: a call of the user")
            must(isinstance(part["functionCall"].get("args", {}), dict), f"{where}: args")
            calls.append(part["functionCall"]["name"])
            first = len(calls) == 1
            must(not first or "thoughtSignature" in part, f"{where}: the first call is unsigned")
        elif kinds == ["functionResponse"]:
            given.append(part["functionResponse"]["name"])
        if "thoughtSignature" in part:
            text = part["thoughtSignature"]
            stand_in = text == "skip_thought_signature_validator"
            must(stand_in or BASE64.fullmatch(text), f"{where}: a corrupt signature")
    answered(asked, given, where)
    return calls
