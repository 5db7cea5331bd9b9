"""The SDKs as one: each asks in its own way, and what it got is told in one form.

A caller keeps a conversation as its SDK's documentation does: what came is appended as the SDK
gives it, so what is sent back is what the SDK would send.
"""

import base64
import json

import openai
from google.genai import types

from end_to_end.features.asking import PNG
from end_to_end.sdk.cloud_callers import Cohere, Converse
from end_to_end.sdk.heard import QUESTION, SCHEMAS, Heard, Town


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


CALLERS = {
    "chat": Chat,
    "responses": Responses,
    "messages": Messages,
    "generate": Generate,
    "converse": Converse,
    "cohere": Cohere,
}
