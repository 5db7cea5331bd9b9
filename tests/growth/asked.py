"""Requests of n of everything that a caller can send many of, shape by shape."""

import json

from growth import conversed
from growth.asked_seldom import SELDOM

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
CITY = {"type": "object", "properties": {"city": {"type": "string"}}}
WORDS = '{"city":"Rome"}'


def chat(n):
    """By name, the members beside ``model``."""
    calls = [_call(f"c{i}") for i in range(n)]
    results = [{"role": "tool", "tool_call_id": f"c{i}", "content": "ok"} for i in range(n)]
    asks = {"role": "user", "content": "Hi"}
    called = {"role": "assistant", "tool_calls": calls}
    return {
        "one_role": lambda: {"messages": [asks] * n},
        "answers": lambda: {"messages": [asks, *[{"role": "assistant", "content": "a"}] * n, asks]},
        "alternating": lambda: {"messages": [asks, {"role": "assistant", "content": "a"}] * (n // 2) + [asks]},
        "instructions": lambda: {"messages": [{"role": "system", "content": "be"}] * n + [asks]},
        "instructions_between": lambda: {"messages": [asks, {"role": "developer", "content": "be"}] * (n // 2)},
        "texts": lambda: {"messages": [{"role": "user", "content": [{"type": "text", "text": "a"}] * n}]},
        "empty_texts": lambda: {"messages": [{"role": "user", "content": [{"type": "text", "text": " "}] * n}, asks]},
        "pictures": lambda: {"messages": [{"role": "user", "content": [_picture(f"https://example.org/{i}.png") for i in range(n)]}]},
        "inline_pictures": lambda: {"messages": [{"role": "user", "content": [_picture(f"data:image/png;base64,{PNG}")] * n}]},
        "marked_texts": lambda: {"messages": [{"role": "user", "content": [{"type": "text", "text": "a", "cache_control": {"type": "ephemeral"}}] * n}]},
        "names": lambda: {"messages": [asks | {"name": f"n{i}"} for i in range(n)]},
        "tools": lambda: {"messages": [asks], "tools": [_tool(f"t{i}") for i in range(n)]},
        "long_tools": lambda: {"messages": [asks], "tools": [_tool("t" * 58 + f"{i:06}") for i in range(n)]},
        "strict_tools": lambda: {"messages": [asks], "tools": [_tool(f"t{i}", strict=True) for i in range(n)]},
        "free_tools": lambda: {"messages": [asks], "tools": [{"type": "custom", "custom": {"name": f"t{i}"}} for i in range(n)]},
        "chosen_tools": lambda: {"messages": [asks], "tools": [_tool(f"t{i}") for i in range(n)], "tool_choice": {"type": "allowed_tools", "allowed_tools": {"mode": "auto", "tools": [{"type": "function", "function": {"name": f"t{i}"}} for i in range(n)]}}},
        "calls": lambda: {"messages": [asks, called, *results]},
        "calls_answered_backwards": lambda: {"messages": [asks, called, *results[::-1]]},
        "calls_unanswered": lambda: {"messages": [asks, called, asks]},
        "calls_of_one_id": lambda: {"messages": [asks, {"role": "assistant", "tool_calls": [_call("c")] * n}, *[results[0] | {"tool_call_id": "c"}] * n]},
        "calls_of_long_ids": lambda: {"messages": [asks, {"role": "assistant", "tool_calls": [_call(f"{i:0>90}") for i in range(n)]}, *[one | {"tool_call_id": f"{i:0>90}"} for i, one in enumerate(results)]]},
        "rounds": lambda: {"messages": [asks, *[row for i in range(n // 2) for row in ({"role": "assistant", "tool_calls": [calls[i]]}, results[i])]]},
        "results_alone": lambda: {"messages": [asks, {"role": "assistant", "content": "a"}, *results, asks]},
        "thoughts": lambda: {"messages": [asks, {"role": "assistant", "content": "a", "reasoning_details": [{"type": "reasoning.text", "text": "t", "index": i} for i in range(n)]}, asks]},
        "stops": lambda: {"messages": [asks], "stop": [f"s{i}" for i in range(n)]},
        "metadata": lambda: {"messages": [asks], "metadata": {f"m{i}": "v" for i in range(n)}},
        "biases": lambda: {"messages": [asks], "logit_bias": {str(i): 1 for i in range(n)}},
        "unknown_members": lambda: {"messages": [asks], **{f"x_{i}": i for i in range(n)}},
        "unknown_capitals": lambda: {"messages": [asks], **{f"X{i}": i for i in range(n)}},
        "unknown_of_a_message": lambda: {"messages": [asks | {f"x_{i}": i for i in range(n)}]},
        "long_text": lambda: {"messages": [{"role": "user", "content": "long " * (4 * n)}]},
        "escapes": lambda: {"messages": [{"role": "user", "content": "\u65e5\u672c" * (4 * n)}]},
        "backslashes": lambda: {"messages": [{"role": "user", "content": '\\"' * (4 * n)}]},
        "nested_arguments": lambda: {"messages": [asks, {"role": "assistant", "tool_calls": [_call("c", "[" * n)]}, results[0] | {"tool_call_id": "c"}]},
        **{f"schema_{name}": lambda one=one: {"messages": [asks], "response_format": {"type": "json_schema", "json_schema": {"name": "s", "schema": one}}} for name, one in schemas(n).items()},
        **{f"parameters_{name}": lambda one=one: {"messages": [asks], "tools": [_tool("t", one)]} for name, one in schemas(n).items()},
    }  # fmt: skip


def responses(n):
    """By name, the members beside ``model``."""
    asks = {"role": "user", "content": "Hi"}
    calls = [
        {"type": "function_call", "call_id": f"c{i}", "name": "t", "arguments": WORDS}
        for i in range(n)
    ]
    results = [
        {"type": "function_call_output", "call_id": f"c{i}", "output": "ok"} for i in range(n)
    ]
    tools = [{"type": "function", "name": f"t{i}", "parameters": CITY} for i in range(n)]
    think = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAAAAsealed"}
    return {
        "one_role": lambda: {"input": [asks] * n},
        "alternating": lambda: {"input": [asks, {"role": "assistant", "content": "a"}] * (n // 2) + [asks]},
        "instructions": lambda: {"input": [{"role": "developer", "content": "be"}] * n + [asks]},
        "phases": lambda: {"input": [{"role": "assistant", "content": "a", "phase": "commentary"}] * n + [asks]},
        "texts": lambda: {"input": [{"role": "user", "content": [{"type": "input_text", "text": "a"}] * n}]},
        "pictures": lambda: {"input": [{"role": "user", "content": [{"type": "input_image", "image_url": f"https://example.org/{i}.png"} for i in range(n)]}]},
        "files": lambda: {"input": [{"role": "user", "content": [{"type": "input_file", "filename": "a.pdf", "file_data": "data:application/pdf;base64,JVBERi0xLjQK"}] * n}]},
        "calls": lambda: {"input": [asks, *calls, *results]},
        "calls_answered_backwards": lambda: {"input": [asks, *calls, *results[::-1]]},
        "calls_unanswered": lambda: {"input": [asks, *calls, asks]},
        "rounds": lambda: {"input": [asks, *[one for pair in zip(calls, results, strict=True) for one in pair][:n]]},
        "results_of_parts": lambda: {"input": [asks, calls[0], results[0] | {"output": [{"type": "input_text", "text": "ok"}] * n}]},
        "thoughts": lambda: {"input": [asks, *[think] * n]},
        "thoughts_before_calls": lambda: {"input": [asks, *[one for i in range(n // 3) for one in (think, calls[i], results[i])]]},
        "thought_of_words": lambda: {"input": [asks, {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "t"}] * n}]},
        "foreign_items": lambda: {"input": [asks, *[{"type": "computer_call", "id": f"x{i}", "action": {"type": "wait"}} for i in range(n)]]},
        "references": lambda: {"input": [asks, *[{"type": "item_reference", "id": f"msg_{i}"} for i in range(n)]]},
        "tools": lambda: {"input": "Hi", "tools": tools},
        "later_tools": lambda: {"input": [asks, *[{"type": "additional_tools", "tools": [tools[i]]} for i in range(n)]]},
        "namespaces": lambda: {"input": "Hi", "tools": [{"type": "namespace", "name": f"n{i}", "description": "d", "tools": [tools[i]]} for i in range(n)]},
        "searches": lambda: {"input": "Hi", "tools": [{"type": "web_search"}] * n},
        "found_tools": lambda: {"input": [asks, {"type": "tool_search_output", "tools": tools}]},
        "found_again": lambda: {"input": [asks, *[{"type": "tool_search_output", "tools": tools[:2]}] * n]},
        "include": lambda: {"input": "Hi", "include": ["reasoning.encrypted_content"] * n},
        "metadata": lambda: {"input": "Hi", "metadata": {f"m{i}": "v" for i in range(n)}},
        "unknown_members": lambda: {"input": "Hi", **{f"x_{i}": i for i in range(n)}},
        "unknown_of_an_item": lambda: {"input": [asks | {f"x_{i}": i for i in range(n)}]},
        "long_text": lambda: {"input": "long " * (4 * n)},
        "long_instructions": lambda: {"input": "Hi", "instructions": "long " * (4 * n)},
        **{f"schema_{name}": lambda one=one: {"input": "Hi", "text": {"format": {"type": "json_schema", "name": "s", "schema": one}}} for name, one in schemas(n).items()},
    }  # fmt: skip


def messages(n):
    """By name, the members beside ``model`` and ``max_tokens``."""
    asks = {"role": "user", "content": "Hi"}
    says = {"role": "assistant", "content": "a"}
    calls = [
        {"type": "tool_use", "id": f"c{i}", "name": "t", "input": {"city": "Rome"}}
        for i in range(n)
    ]
    results = [{"type": "tool_result", "tool_use_id": f"c{i}", "content": "ok"} for i in range(n)]
    text = {"type": "text", "text": "a"}
    cited = {
        "type": "char_location",
        "cited_text": "a",
        "document_index": 0,
        "start_char_index": 0,
        "end_char_index": 1,
    }

    def of(*content, **more):
        return {"messages": [{"role": "user", "content": list(content)}], **more}

    def after(content, *answer):
        return {
            "messages": [
                asks,
                {"role": "assistant", "content": content},
                {"role": "user", "content": list(answer) or "go on"},
            ]
        }

    return {
        "one_role": lambda: {"messages": [asks] * n},
        "answers": lambda: {"messages": [asks, *[says] * n, asks]},
        "alternating": lambda: {"messages": [asks, says] * (n // 2) + [asks]},
        "instructions": lambda: {"messages": [asks], "system": [text] * n},
        "texts": lambda: of(*[text] * n),
        "pictures": lambda: of(*[{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}}] * n),
        "documents": lambda: of(*[{"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "a"}}] * n),
        "document_of_blocks": lambda: of({"type": "document", "source": {"type": "content", "content": [text] * n}}),
        "search_results": lambda: of(*[{"type": "search_result", "source": "s", "title": "t", "content": [text]}] * n),
        "search_result_of_blocks": lambda: of({"type": "search_result", "source": "s", "title": "t", "content": [text] * n}),
        "marks": lambda: of(*[text | {"cache_control": {"type": "ephemeral"}}] * n),
        "citations": lambda: after([text | {"citations": [cited] * n}]),
        "calls": lambda: after(calls, *results),
        "calls_answered_backwards": lambda: after(calls, *results[::-1]),
        "calls_unanswered": lambda: after(calls),
        "result_of_blocks": lambda: after(calls[:1], results[0] | {"content": [text] * n}),
        "results_alone": lambda: after("a", *results),
        "rounds": lambda: {"messages": [asks, *[one for i in range(n // 2) for one in ({"role": "assistant", "content": [calls[i]]}, {"role": "user", "content": [results[i]]})]]},
        "thoughts": lambda: after([{"type": "thinking", "thinking": "t", "signature": "sig"}] * n),
        "hidden_thoughts": lambda: after([{"type": "redacted_thinking", "data": "sealed"}] * n),
        "thoughts_before_calls": lambda: after([one for i in range(n // 2) for one in ({"type": "thinking", "thinking": "t", "signature": f"s{i}"}, calls[i])], *results[: n // 2]),
        "foreign_blocks": lambda: after([{"type": "server_tool_use", "id": f"s{i}", "name": "web_search", "input": {"query": "q"}} for i in range(n)]),
        "tools": lambda: {"messages": [asks], "tools": [{"name": f"t{i}", "input_schema": CITY} for i in range(n)]},
        "strict_tools": lambda: {"messages": [asks], "tools": [{"name": f"t{i}", "strict": True, "input_schema": CITY | {"additionalProperties": False}} for i in range(n)]},
        "searches": lambda: {"messages": [asks], "tools": [{"type": "web_search_20250305", "name": "web_search"}] * n},
        "servers": lambda: {"messages": [asks], "mcp_servers": [{"type": "url", "url": "https://example.org", "name": f"s{i}"} for i in range(n)]},
        "stops": lambda: {"messages": [asks], "stop_sequences": [f"s{i}" for i in range(n)]},
        "metadata": lambda: {"messages": [asks], "metadata": {f"m{i}": "v" for i in range(n)}},
        "unknown_members": lambda: {"messages": [asks], **{f"x_{i}": i for i in range(n)}},
        "unknown_of_a_block": lambda: of(text | {f"x_{i}": i for i in range(n)}),
        "long_text": lambda: {"messages": [{"role": "user", "content": "long " * (4 * n)}]},
        **{f"schema_{name}": lambda one=one: {"messages": [asks], "output_config": {"format": {"type": "json_schema", "schema": one}}} for name, one in schemas(n).items()},
        **{f"parameters_{name}": lambda one=one: {"messages": [asks], "tools": [{"name": "t", "input_schema": one}]} for name, one in schemas(n).items()},
    }  # fmt: skip


def generate(n):
    """By name, the members."""
    asks = {"role": "user", "parts": [{"text": "Hi"}]}
    calls = [
        {"functionCall": {"id": f"c{i}", "name": "t", "args": {"city": "Rome"}}} for i in range(n)
    ]
    results = [
        {"functionResponse": {"id": f"c{i}", "name": "t", "response": {"ok": True}}}
        for i in range(n)
    ]
    nameless = [{"functionResponse": {"name": f"t{i}", "response": {"ok": True}}} for i in range(n)]
    picture = {"inlineData": {"mimeType": "image/png", "data": PNG}}

    def says(*parts):
        return {"role": "model", "parts": list(parts)}

    def heard(*parts):
        return {"role": "user", "parts": list(parts)}

    def declared(parameters):
        return {
            "contents": [asks],
            "tools": [{"functionDeclarations": [{"name": "t", "parameters": parameters}]}],
        }

    return {
        "one_role": lambda: {"contents": [asks] * n},
        "alternating": lambda: {"contents": [asks, says({"text": "a"})] * (n // 2) + [asks]},
        "files_in_a_large_history": lambda: {"contents": [heard({"text": "a" * 270_000}), *[heard(picture, {"text": "b"})] * n]},
        "pieces": lambda: {"contents": [asks, *[says({"text": "a"})] * n, asks]},
        "pieces_around_pictures": lambda: {"contents": [asks, *[says({"text": "a"}, picture, {"text": "b"})] * n, asks]},
        "thoughts_in_pieces": lambda: {"contents": [asks, *[says({"text": "a", "thought": True})] * n, asks]},
        "signed_pieces": lambda: {"contents": [asks, *[says({"text": "a", "thoughtSignature": "c2ln"})] * n, asks]},
        "texts": lambda: {"contents": [heard(*[{"text": "a"}] * n)]},
        "pictures": lambda: {"contents": [heard(*[picture] * n)]},
        "files": lambda: {"contents": [heard(*[{"fileData": {"mimeType": "image/png", "fileUri": f"https://example.org/{i}.png"}} for i in range(n)])]},
        "instructions": lambda: {"contents": [asks], "systemInstruction": heard(*[{"text": "be"}] * n)},
        "calls": lambda: {"contents": [asks, says(*calls), heard(*results)]},
        "calls_answered_backwards": lambda: {"contents": [asks, says(*calls), heard(*results[::-1])]},
        "calls_by_name": lambda: {"contents": [asks, says(*[{"functionCall": {"name": f"t{i}"}} for i in range(n)]), heard(*nameless[::-1])]},
        "calls_of_one_name": lambda: {"contents": [asks, says(*[{"functionCall": {"name": "t0"}}] * n), heard(*nameless[:1] * n)]},
        "calls_unanswered": lambda: {"contents": [asks, says(*calls), asks]},
        "rounds": lambda: {"contents": [asks, *[one for i in range(n // 2) for one in (says(calls[i]), heard(results[i]))]]},
        "results_alone": lambda: {"contents": [asks, heard(*results)]},
        "functions": lambda: {"contents": [asks], "tools": [{"functionDeclarations": [{"name": f"t{i}", "parameters": CITY} for i in range(n)]}]},
        "tools": lambda: {"contents": [asks], "tools": [{"functionDeclarations": [{"name": f"t{i}"}]} for i in range(n)]},
        "searches": lambda: {"contents": [asks], "tools": [{"googleSearch": {}}] * n},
        "chosen_tools": lambda: {"contents": [asks], "tools": [{"functionDeclarations": [{"name": f"t{i}"} for i in range(n)]}], "toolConfig": {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": [f"t{i}" for i in range(n)]}}},
        "stops": lambda: {"contents": [asks], "generationConfig": {"stopSequences": [f"s{i}" for i in range(n)]}},
        "safety": lambda: {"contents": [asks], "safetySettings": [{"category": "HARM_CATEGORY_HARASSMENT", "threshold": "BLOCK_NONE"}] * n},
        "labels": lambda: {"contents": [asks], "labels": {f"m{i}": "v" for i in range(n)}},
        "unknown_members": lambda: {"contents": [asks], **{f"x_{i}": i for i in range(n)}},
        "unknown_of_a_part": lambda: {"contents": [heard({"text": "a", **{f"x_{i}": i for i in range(n)}})]},
        "unknown_of_the_settings": lambda: {"contents": [asks], "generationConfig": {f"x_{i}": i for i in range(n)}},
        "long_text": lambda: {"contents": [heard({"text": "long " * (4 * n)})]},
        "long_blob": lambda: {"contents": [heard({"inlineData": {"mimeType": "image/png", "data": "QUFB" * (4 * n)}})]},
        **{f"schema_{name}": lambda one=one: {"contents": [asks], "generationConfig": {"responseMimeType": "application/json", "responseSchema": one}} for name, one in schemas(n).items()},
        **{f"parameters_{name}": lambda one=one: declared(one) for name, one in schemas(n).items()},
    }  # fmt: skip


def completions(n):
    """By name, the members beside ``model``."""
    return {
        "prompts": lambda: {"prompt": ["Hi"] * n},
        "tokens": lambda: {"prompt": list(range(n))},
        "lists_of_tokens": lambda: {"prompt": [[1]] * n},
        "long_text": lambda: {"prompt": "long " * (4 * n)},
        "stops": lambda: {"prompt": "Hi", "stop": [f"s{i}" for i in range(n)]},
        "biases": lambda: {"prompt": "Hi", "logit_bias": {str(i): 1 for i in range(n)}},
        "unknown_members": lambda: {"prompt": "Hi", **{f"x_{i}": i for i in range(n)}},
    }


def embeddings(n):
    """By name, the members beside ``model``."""
    return {
        "inputs": lambda: {"input": ["Hi"] * n},
        "tokens": lambda: {"input": list(range(n))},
        "lists_of_tokens": lambda: {"input": [[1]] * n},
        "long_text": lambda: {"input": "long " * (4 * n)},
        "unknown_members": lambda: {"input": "Hi", **{f"x_{i}": i for i in range(n)}},
    }


def rerank(n):
    """By name, the members beside ``model``."""
    return {
        "documents": lambda: {"query": "Hi", "documents": ["a"] * n},
        "objects": lambda: {"query": "Hi", "documents": [{"text": "a"}] * n},
        "long_document": lambda: {"query": "Hi", "documents": ["long " * (4 * n)]},
        "unknown_members": lambda: {"query": "Hi", "documents": ["a"], **{f"x_{i}": i for i in range(n)}},
    }  # fmt: skip


def moderations(n):
    """By name, the members beside ``model``."""
    part = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}}
    return {
        "inputs": lambda: {"input": ["Hi"] * n},
        "parts": lambda: {"input": [{"type": "text", "text": "Hi"}] * n},
        "pictures": lambda: {"input": [part] * n},
        "long_text": lambda: {"input": "long " * (4 * n)},
    }


def embedded(n):
    """What generate embeds: by name, the members."""
    one = {"model": "models/m", "content": {"parts": [{"text": "Hi"}]}}
    return {
        "parts": lambda: {"content": {"parts": [{"text": "Hi"}] * n}},
        "long_text": lambda: {"content": {"parts": [{"text": "long " * (4 * n)}]}},
        "requests": lambda: {"requests": [one] * n},
        "unknown_members": lambda: {"content": {"parts": [{"text": "Hi"}]}, **{f"x_{i}": i for i in range(n)}},
    }  # fmt: skip


def pictures(n):
    """What is asked of those who draw: by name, the members beside ``model``."""
    return {
        "long_text": lambda: {"prompt": "long " * (4 * n)},
        "sources": lambda: {
            "prompt": "Hi",
            "images": [{"image_url": f"data:image/png;base64,{PNG}"}] * n,
        },
        "unknown_members": lambda: {"prompt": "Hi", **{f"x_{i}": i for i in range(n)}},
    }


def speech(n):
    """What is to be said: by name, the members beside ``model``."""
    return {
        "long_text": lambda: {"input": "long " * (4 * n), "voice": "alloy"},
        "long_instructions": lambda: {
            "input": "Hi",
            "voice": "alloy",
            "instructions": "long " * (4 * n),
        },
        "unknown_members": lambda: {
            "input": "Hi",
            "voice": "alloy",
            **{f"x_{i}": i for i in range(n)},
        },
    }


def transcripts(n):
    """What is to be heard, as the members of its form: by name, those beside ``model``."""
    return {
        "long_text": lambda: {"prompt": "long " * (4 * n)},
        "unknown_members": lambda: {f"x_{i}": i for i in range(n)},
    }


def schemas(n):
    """JSON schemas, by name."""
    one = {"type": "string"}
    names = [f"p{i}" for i in range(n)]
    many = dict.fromkeys(names, one)
    chain = {f"d{i}": {"$ref": f"#/$defs/d{i + 1}"} for i in range(n)}
    return {
        "properties": {"type": "object", "properties": many, "required": names, "additionalProperties": False},
        "choices": {"type": "object", "properties": {"a": {"anyOf": [one] * n}}},
        "values": {"type": "object", "properties": {"a": {"type": "string", "enum": names}}},
        "parts": {"type": "object", "allOf": [{"properties": {name: one}, "required": [name]} for name in names]},
        "references": {"type": "object", "$defs": {"a": {"type": "string", "description": "d" * n}}, "properties": {key: {"$ref": "#/$defs/a"} for key in names}},
        "chained": {"type": "object", "$defs": chain, "properties": {"a": {"$ref": "#/$defs/d0"}}},
        "long_name": {"type": "object", "properties": {"n" * n: {"type": "object", "properties": many}}},
        "keywords": {"type": "object", **{f"x-{name}": 1 for name in names}},
        "limits": {"type": "object", "properties": {key: {"type": "integer", "minimum": 1} for key in names}},
    }  # fmt: skip


def _call(id_, arguments=WORDS):
    return {"id": id_, "type": "function", "function": {"name": "t", "arguments": arguments}}


def _tool(name, parameters=CITY, **more):
    return {"type": "function", "function": {"name": name, "parameters": parameters, **more}}


def cohere(n):
    """What is asked in Cohere's shape: by name, the members beside ``model``."""
    calls = [_call(f"c{i}") for i in range(n)]
    results = [{"role": "tool", "tool_call_id": f"c{i}", "content": "ok"} for i in range(n)]
    asks = {"role": "user", "content": "Hi"}
    cited = {"start": 0, "end": 1, "sources": [{"type": "document", "id": "d"}]}
    piece = {"type": "document", "document": {"data": {"text": "a"}}}

    def answered(*content, **more):
        return {"messages": [asks, {"role": "assistant", "content": list(content), **more}, asks]}

    text = {"type": "text", "text": "a"}
    return {
        "one_role": lambda: {"messages": [asks] * n},
        "alternating": lambda: {"messages": [asks, {"role": "assistant", "content": "a"}] * (n // 2) + [asks]},
        "instructions": lambda: {"messages": [{"role": "system", "content": "be"}] * n + [asks]},
        "texts": lambda: {"messages": [{"role": "user", "content": [text] * n}]},
        "pictures": lambda: {"messages": [{"role": "user", "content": [_picture(f"https://example.org/{i}.png") for i in range(n)]}]},
        "texts_of_an_answer": lambda: answered(*[text] * n),
        "thoughts": lambda: answered(*[{"type": "thinking", "thinking": "t"}] * n, text),
        "citations": lambda: answered(text, citations=[cited] * n),
        "citations_of_each_text": lambda: answered(*[text] * n, citations=[cited | {"content_index": i} for i in range(n)]),
        "calls": lambda: {"messages": [asks, {"role": "assistant", "tool_plan": "p", "tool_calls": calls}, *results]},
        "rounds": lambda: {"messages": [asks, *[row for i in range(n // 2) for row in ({"role": "assistant", "tool_calls": [calls[i]]}, results[i])]]},
        "results_in_pieces": lambda: {"messages": [asks, {"role": "assistant", "tool_calls": calls[:1]}, results[0] | {"content": [piece] * n}]},
        "documents": lambda: {"messages": [asks], "documents": [{"id": f"d{i}", "data": {"text": "a"}} for i in range(n)]},
        "members_of_a_document": lambda: {"messages": [asks], "documents": [{"data": {f"m{i}": "v" for i in range(n)}}]},
        "long_document": lambda: {"messages": [asks], "documents": ["long " * (4 * n)]},
        "tools": lambda: {"messages": [asks], "tools": [_tool(f"t{i}") for i in range(n)], "strict_tools": True},
        "unknown_members": lambda: {"messages": [asks], **{f"x_{i}": i for i in range(n)}},
        "unknown_of_a_message": lambda: {"messages": [asks | {f"x_{i}": i for i in range(n)}]},
        "long_text": lambda: {"messages": [{"role": "user", "content": "long " * (4 * n)}]},
        **{f"schema_{name}": lambda one=one: {"messages": [asks], "response_format": {"type": "json_object", "json_schema": one}} for name, one in schemas(n).items()},
    }  # fmt: skip


def cohere_texts(n):
    """What Cohere embeds: by name, the members."""
    content = {"content": [{"type": "text", "text": "a"}]}
    return {
        "texts": lambda: {"texts": ["a"] * n},
        "inputs": lambda: {"inputs": [content] * n},
        "pieces": lambda: {"inputs": [{"content": content["content"] * n}]},
        "kinds": lambda: {"texts": ["a"], "embedding_types": ["float"] * n},
        "unknown_members": lambda: {"texts": ["a"], **{f"x_{i}": i for i in range(n)}},
        "long_text": lambda: {"texts": ["long " * (4 * n)]},
    }


def _picture(url):
    return {"type": "image_url", "image_url": {"url": url}}


def counted_converse(n):
    """A conversation of Amazon's that is to be counted: by name, the members."""

    def inside(members):
        return {"input": {"converse": members}}

    found = conversed.asked(n, schemas(n))
    return {name: lambda of=of: inside(of()) for name, of in found.items()}


KINDS = {
    "chat": chat,
    "responses": responses,
    "messages": messages,
    "generate": generate,
    "converse": lambda n: conversed.asked(n, schemas(n)),
    "counted_converse": counted_converse,
    "completions": completions,
    "cohere": cohere,
    "cohere_texts": cohere_texts,
    "embeddings": embeddings,
    "moderations": moderations,
    "rerank": rerank,
    "embedded": embedded,
    "pictures": pictures,
    "speech": speech,
    "transcripts": transcripts,
}
"""By the words a request is written in: what n of everything looks like."""

_MEMBERS = {
    "generate": {},
    "converse": {},
    "counted_converse": {},
    "embedded": {},
    "messages": {"model": "m", "max_tokens": 64},
}


def _all(words, n):
    found = KINDS[words](n)
    return found | SELDOM[words](n) if words in SELDOM else found


def body(words, kind, n):
    """A request's bytes."""
    members = _MEMBERS.get(words, {"model": "m"}) | _all(words, n)[kind]()
    return json.dumps(members).encode()


def kinds(words):
    """The names of what there is."""
    return tuple(_all(words, 4))
