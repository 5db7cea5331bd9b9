"""The SDKs as one: each asks in its own way, and what it got is told in one form.

A caller keeps a conversation as its SDK's documentation does: what came is appended as the SDK
gives it, so what is sent back is what the SDK would send.
"""

import base64
import contextlib
import dataclasses
import json
from typing import Literal

import openai
import pydantic
from google.genai import types

from end_to_end.features.asking import CITY, PNG

QUESTION = "Weather?"
SCHEMAS = {"look": CITY, "now": {"type": "object", "properties": {}}}


class Person(pydantic.BaseModel):
    """A definition that the schema refers to."""

    name: str
    born: int | None


class Town(pydantic.BaseModel):
    """What `parse` is asked for: definitions, choices, lists and what may be missing."""

    city: str
    people: int = pydantic.Field(ge=0)
    mayor: Person
    council: list[Person]
    climate: Literal["mild", "cold"]


@dataclasses.dataclass
class Heard:
    """One answer."""

    text: str = ""
    calls: list = dataclasses.field(default_factory=list)
    """(name, arguments)."""
    end: str | None = None
    """The SDK's own word."""
    tokens: tuple = ()
    """Input and output, as the SDK counts."""
    thoughts: str = ""


class Chat:
    """openai, chat completions."""

    STOP, LENGTH, BLOCKED, CALLED = "stop", "length", "content_filter", "tool_calls"

    def __init__(self, client):
        self.client = client
        self.turns = [{"role": "user", "content": QUESTION}]

    def ask(self, model, *, stream=False, tools=False):
        options = {"model": model, "messages": self.turns, "max_completion_tokens": 64}
        if tools:
            options["tools"] = [
                {"type": "function", "function": {"name": name, "parameters": schema}}
                for name, schema in SCHEMAS.items()
            ]
        if stream:
            options["stream_options"] = {"include_usage": True}
            answer = self._streamed(options)
        else:
            answer = self.client.chat.completions.create(**options)
        (choice,) = answer.choices
        message = choice.message
        self.turns.append(message)
        self.called = [call.id for call in message.tool_calls or ()]
        calls = [
            (call.function.name, json.loads(call.function.arguments))
            for call in message.tool_calls or ()
        ]
        return Heard(
            message.content or message.refusal or "",
            calls,
            choice.finish_reason,
            (answer.usage.prompt_tokens, answer.usage.completion_tokens),
            getattr(message, "reasoning_content", None) or "",
        )

    def _streamed(self, options):
        with self.client.chat.completions.stream(**options) as events:
            try:
                for _ in events:
                    pass
                return events.get_final_completion()
            except (openai.LengthFinishReasonError, openai.ContentFilterFinishReasonError):
                # the helper's way to say it; what it has gathered is whole
                return events.current_completion_snapshot

    def answer(self, results):
        for call, result in zip(self.called, results, strict=True):
            self.turns.append({"role": "tool", "tool_call_id": call, "content": result})

    def show(self):
        url = {"url": f"data:image/png;base64,{PNG}"}
        self.turns[0]["content"] = [{"type": "image_url", "image_url": url}]

    def parse(self, model):
        answer = self.client.chat.completions.parse(
            model=model, messages=self.turns, response_format=Town
        )
        return answer.choices[0].message.parsed


class Forgetful(Chat):
    """The same as LangChain's and Vercel's clients keep it: of a call its id, and its arguments
    spelled anew.
    """

    def ask(self, model, **options):
        heard = super().ask(model, **options)
        calls = [
            {
                "id": call,
                "type": "function",
                "function": {"name": name, "arguments": json.dumps(found)},
            }
            for call, (name, found) in zip(self.called, heard.calls, strict=True)
        ]
        self.turns[-1] = {"role": "assistant", "content": heard.text or None}
        if calls:
            self.turns[-1]["tool_calls"] = calls
        return heard


class Responses:
    """openai, responses."""

    STOP, LENGTH, BLOCKED = "completed", "max_output_tokens", "content_filter"
    CALLED = "completed"

    def __init__(self, client):
        self.client = client
        self.turns = [{"role": "user", "content": QUESTION}]

    def ask(self, model, *, stream=False, tools=False):
        options = {"model": model, "input": self.turns, "max_output_tokens": 64, "store": False}
        if tools:
            options["tools"] = [
                {"type": "function", "name": name, "parameters": schema, "strict": False}
                for name, schema in SCHEMAS.items()
            ]
        if stream:
            with self.client.responses.stream(**options) as events:
                *_, last = events
            answer = last.response
            assert f"response.{answer.status}" == last.type
        else:
            answer = self.client.responses.create(**options)
        self.turns += answer.output
        calls = [item for item in answer.output if item.type == "function_call"]
        self.called = [call.call_id for call in calls]
        text = answer.output_text
        for item in answer.output:
            for part in item.content or () if item.type == "message" else ():
                text += getattr(part, "refusal", "")
        thoughts = [
            part.text
            for item in answer.output
            if item.type == "reasoning"
            for part in [*item.summary, *(item.content or ())]
        ]
        reason = answer.incomplete_details and answer.incomplete_details.reason
        return Heard(
            text,
            [(call.name, json.loads(call.arguments)) for call in calls],
            reason or answer.status,
            (answer.usage.input_tokens, answer.usage.output_tokens),
            "".join(thoughts),
        )

    def answer(self, results):
        for call, result in zip(self.called, results, strict=True):
            row = {"type": "function_call_output", "call_id": call, "output": result}
            self.turns.append(row)

    def show(self):
        image = {"type": "input_image", "image_url": f"data:image/png;base64,{PNG}"}
        self.turns[0]["content"] = [image]

    def parse(self, model):
        return self.client.responses.parse(
            model=model, input=self.turns, text_format=Town
        ).output_parsed


class Messages:
    """anthropic."""

    STOP, LENGTH, BLOCKED, CALLED = "end_turn", "max_tokens", "refusal", "tool_use"

    def __init__(self, client):
        self.client = client
        self.turns = [{"role": "user", "content": QUESTION}]

    def ask(self, model, *, stream=False, tools=False):
        options = {"model": model, "messages": self.turns, "max_tokens": 64}
        if tools:
            options["tools"] = [
                {"name": name, "input_schema": schema} for name, schema in SCHEMAS.items()
            ]
        if stream:
            with self.client.messages.stream(**options) as events:
                answer = events.get_final_message()
        else:
            answer = self.client.messages.create(**options)
        self.turns.append({"role": "assistant", "content": answer.content})
        calls = [block for block in answer.content if block.type == "tool_use"]
        self.called = [call.id for call in calls]
        usage = answer.usage
        tokens = usage.input_tokens + (usage.cache_read_input_tokens or 0)
        tokens += usage.cache_creation_input_tokens or 0
        return Heard(
            "".join(block.text for block in answer.content if block.type == "text"),
            [(call.name, call.input) for call in calls],
            answer.stop_reason,
            (tokens, usage.output_tokens),
            "".join(block.thinking for block in answer.content if block.type == "thinking"),
        )

    def answer(self, results):
        rows = [
            {"type": "tool_result", "tool_use_id": call, "content": result}
            for call, result in zip(self.called, results, strict=True)
        ]
        self.turns.append({"role": "user", "content": rows})

    def show(self):
        source = {"type": "base64", "media_type": "image/png", "data": PNG}
        self.turns[0]["content"] = [{"type": "image", "source": source}]

    def parse(self, model):
        answer = self.client.messages.parse(
            model=model, messages=self.turns, max_tokens=64, output_format=Town
        )
        return answer.parsed_output


class Generate:
    """google-genai."""

    STOP, LENGTH, BLOCKED, CALLED = "STOP", "MAX_TOKENS", "SAFETY", "STOP"

    def __init__(self, client):
        self.client = client
        self.turns = [types.Content(role="user", parts=[types.Part(text=QUESTION)])]

    def ask(self, model, *, stream=False, tools=False):
        config = {"max_output_tokens": 64}
        if tools:
            declared = [
                {"name": name, "parameters_json_schema": schema} for name, schema in SCHEMAS.items()
            ]
            config["tools"] = [{"function_declarations": declared}]
            config["automatic_function_calling"] = {"disable": True}
        options = {"model": model, "contents": self.turns, "config": config}
        models = self.client.models
        chunks = (
            list(models.generate_content_stream(**options))
            if stream
            else [models.generate_content(**options)]
        )
        parts = [
            part
            for chunk in chunks
            for one in chunk.candidates or ()
            for part in (one.content.parts if one.content else None) or ()
        ]
        self.turns.append(types.Content(role="model", parts=parts))
        calls = [part.function_call for part in parts if part.function_call]
        self.called = calls
        usage = chunks[-1].usage_metadata
        ends = [one.finish_reason for chunk in chunks for one in chunk.candidates or ()]
        return Heard(
            "".join(part.text for part in parts if part.text and not part.thought),
            [(call.name, call.args or {}) for call in calls],
            ends[-1] and ends[-1].value,
            (
                usage.prompt_token_count,
                (usage.candidates_token_count or 0) + (usage.thoughts_token_count or 0),
            ),
            "".join(part.text for part in parts if part.text and part.thought),
        )

    def answer(self, results):
        parts = [
            types.Part(
                function_response=types.FunctionResponse(
                    id=call.id, name=call.name, response={"output": result}
                )
            )
            for call, result in zip(self.called, results, strict=True)
        ]
        self.turns.append(types.Content(role="user", parts=parts))

    def show(self):
        image = types.Part.from_bytes(data=base64.b64decode(PNG), mime_type="image/png")
        self.turns = [types.Content(role="user", parts=[image])]

    def parse(self, model):
        answer = self.client.models.generate_content(
            model=model,
            contents=self.turns,
            config={"response_mime_type": "application/json", "response_schema": Town},
        )
        return answer.parsed


class Converse:
    """boto3, Converse and ConverseStream."""

    STOP, LENGTH, BLOCKED, CALLED = "end_turn", "max_tokens", "content_filtered", "tool_use"

    def __init__(self, client):
        self.client = client
        self.turns = [{"role": "user", "content": [{"text": QUESTION}]}]

    def ask(self, model, *, stream=False, tools=False):
        options = {
            "modelId": model,
            "messages": self.turns,
            "inferenceConfig": {"maxTokens": 64},
        }
        if tools:
            declared = [
                {"toolSpec": {"name": name, "inputSchema": {"json": schema}}}
                for name, schema in SCHEMAS.items()
            ]
            options["toolConfig"] = {"tools": declared}
        if stream:
            with contextlib.closing(self.client.converse_stream(**options)["stream"]) as events:
                message, end, usage = gathered(events)
        else:
            answer = self.client.converse(**options)
            message, end = answer["output"]["message"], answer["stopReason"]
            usage = answer["usage"]
        self.turns.append(message)
        content = message["content"]
        calls = [block["toolUse"] for block in content if "toolUse" in block]
        self.called = [call["toolUseId"] for call in calls]
        thoughts = [
            block["reasoningContent"].get("reasoningText", {}).get("text", "")
            for block in content
            if "reasoningContent" in block
        ]
        # the vendor leaves out what it did not cache
        cached = usage.get("cacheReadInputTokens", 0) + usage.get("cacheWriteInputTokens", 0)
        assert usage["inputTokens"] + cached + usage["outputTokens"] == usage["totalTokens"]
        return Heard(
            "".join(block.get("text", "") for block in content),
            [(call["name"], call["input"]) for call in calls],
            end,
            (usage["inputTokens"] + cached, usage["outputTokens"]),
            "".join(thoughts),
        )

    def answer(self, results):
        rows = [
            {"toolResult": {"toolUseId": call, "content": [{"text": result}]}}
            for call, result in zip(self.called, results, strict=True)
        ]
        self.turns.append({"role": "user", "content": rows})

    def show(self):
        source = {"bytes": base64.b64decode(PNG)}
        self.turns[0]["content"] = [{"image": {"format": "png", "source": source}}]

    def parse(self, model):
        schema = {"schema": json.dumps(Town.model_json_schema()), "name": "Town"}
        answer = self.client.converse(
            modelId=model,
            messages=self.turns,
            outputConfig={
                "textFormat": {"type": "json_schema", "structure": {"jsonSchema": schema}}
            },
        )
        return Town.model_validate_json(answer["output"]["message"]["content"][-1]["text"])


def gathered(events):
    """A streamed answer put together as the vendor's own examples do it: message, end, usage."""
    blocks, end, usage, role = {}, None, None, None
    for event in events:
        ((kind, told),) = event.items()
        if kind == "messageStart":
            role = told["role"]
        elif kind == "contentBlockStart":
            blocks[told["contentBlockIndex"]] = {
                "toolUse": {**told["start"]["toolUse"], "input": ""}
            }
        elif kind == "contentBlockDelta":
            _grown(blocks.setdefault(told["contentBlockIndex"], {}), told["delta"])
        elif kind == "contentBlockStop":
            block = blocks[told["contentBlockIndex"]]
            if "toolUse" in block:
                block["toolUse"]["input"] = json.loads(block["toolUse"]["input"])
        elif kind == "messageStop":
            end = told["stopReason"]
        else:
            assert "metadata" == kind
            usage = told["usage"]
    assert list(range(len(blocks))) == list(blocks)
    return {"role": role, "content": list(blocks.values())}, end, usage


def _grown(block, delta):
    ((kind, piece),) = delta.items()
    if kind == "text":
        block["text"] = block.get("text", "") + piece
    elif kind == "toolUse":
        block["toolUse"]["input"] += piece["input"]
    elif "redactedContent" in piece:
        block["reasoningContent"] = piece
    else:
        said = block.setdefault("reasoningContent", {"reasoningText": {}})["reasoningText"]
        ((name, text),) = piece.items()
        said[name] = said.get(name, "") + text


class Cohere:
    """cohere, version 2."""

    STOP, LENGTH, BLOCKED, CALLED = "COMPLETE", "MAX_TOKENS", "ERROR", "TOOL_CALL"

    def __init__(self, client):
        self.client = client
        self.turns = [{"role": "user", "content": QUESTION}]

    def ask(self, model, *, stream=False, tools=False):
        options = {"model": model, "messages": self.turns, "max_tokens": 64}
        if tools:
            options["tools"] = [
                {"type": "function", "function": {"name": name, "parameters": schema}}
                for name, schema in SCHEMAS.items()
            ]
        if stream:
            message, reason, usage = cohere_gathered(self.client.chat_stream(**options))
        else:
            answer = self.client.chat(**options)
            message, reason, usage = answer.message, answer.finish_reason, answer.usage
            self.turns.append(message)
            message = message.model_dump(exclude_none=True)
        if stream:
            self.turns.append(message)
        content = message.get("content") or ()
        calls = message.get("tool_calls") or ()
        self.called = [call["id"] for call in calls]
        text = "".join(block["text"] for block in content if block["type"] == "text")
        return Heard(
            (message.get("tool_plan") or "") + text,
            [
                (call["function"]["name"], json.loads(call["function"]["arguments"]))
                for call in calls
            ],
            reason,
            (usage.billed_units.input_tokens, usage.billed_units.output_tokens),
            "".join(block["thinking"] for block in content if block["type"] == "thinking"),
        )

    def answer(self, results):
        for call, result in zip(self.called, results, strict=True):
            self.turns.append({"role": "tool", "tool_call_id": call, "content": result})

    def show(self):
        url = {"url": f"data:image/png;base64,{PNG}"}
        self.turns[0]["content"] = [{"type": "image_url", "image_url": url}]

    def parse(self, model):
        answer = self.client.chat(
            model=model,
            messages=self.turns,
            response_format={"type": "json_object", "json_schema": Town.model_json_schema()},
        )
        return Town.model_validate_json(answer.message.content[0].text)


class StreamFailedError(Exception):
    """A stream of Cohere's that says that it failed: its SDK leaves it to the caller to look."""


def cohere_gathered(events):
    """The message that a stream of Cohere's tells, piece by piece, as its documentation does."""
    content, calls, plan, ended = {}, {}, "", None
    for event in events:
        if event.type == "content-start":
            content[event.index] = {"type": event.delta.message.content.type, "said": []}
        elif event.type == "content-delta":
            said = event.delta.message.content
            content[event.index]["said"].append(said.thinking or said.text or "")
        elif event.type == "tool-plan-delta":
            plan += event.delta.message.tool_plan
        elif event.type == "tool-call-start":
            call = event.delta.message.tool_calls
            calls[event.index] = {
                "id": call.id,
                "type": "function",
                "function": {"name": call.function.name, "arguments": call.function.arguments},
            }
        elif event.type == "tool-call-delta":
            piece = event.delta.message.tool_calls.function.arguments
            calls[event.index]["function"]["arguments"] += piece
        elif event.type == "message-end":
            ended = event.delta
    if ended is None or ended.error:
        raise StreamFailedError(ended and ended.error)
    message = {
        "role": "assistant",
        "content": [
            {"type": one["type"], one["type"]: "".join(one["said"])} for one in content.values()
        ],
        "tool_plan": plan,
        "tool_calls": list(calls.values()),
    }
    return {k: v for k, v in message.items() if v}, ended.finish_reason, ended.usage


CALLERS = {
    "chat": Chat,
    "responses": Responses,
    "messages": Messages,
    "generate": Generate,
    "converse": Converse,
    "cohere": Cohere,
}
