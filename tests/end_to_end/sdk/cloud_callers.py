"""boto3 and cohere, as ``callers.py`` has the other SDKs."""

import base64
import contextlib
import json

from end_to_end.features.asking import PNG
from end_to_end.sdk.heard import QUESTION, SCHEMAS, Heard, Town


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
