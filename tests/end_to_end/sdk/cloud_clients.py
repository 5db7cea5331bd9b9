"""The clouds' own clients, unmodified, each pointed at the gateway as its documentation has it."""

import contextlib
import json
import os
import warnings

import anthropic
import boto3
import openai
from botocore.config import Config

from end_to_end.sdk.callers import Chat, Generate, Messages, Responses
from end_to_end.sdk.heard import QUESTION, SCHEMAS, Heard
from end_to_end.sdk.tls_front import tls_front

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of an escape in one of its own docstrings
    from google import genai
    from google.oauth2.credentials import Credentials

AZURE_VERSION = "2024-10-21"


@contextlib.contextmanager
def bearer(key):
    """The key where Amazon's clients look for one; a context manager."""
    before = os.environ.get("AWS_BEARER_TOKEN_BEDROCK")
    os.environ["AWS_BEARER_TOKEN_BEDROCK"] = key
    try:
        yield
    finally:
        os.environ.pop("AWS_BEARER_TOKEN_BEDROCK")
        if before is not None:
            os.environ["AWS_BEARER_TOKEN_BEDROCK"] = before


def boto_at(origin, trusted):
    """Amazon's client for Python, which sends a bearer's key over TLS alone.

    ``trusted``: the file with the certificate of the other side.
    """
    config = Config(retries={"max_attempts": 0}, read_timeout=30)
    return boto3.client(
        "bedrock-runtime", endpoint_url=origin, region_name="us-east-1", config=config,
        verify=trusted,
    )  # fmt: skip


def clients_at(origin, key, stack, folder):
    """One of each, by name; ``stack`` closes them; ``folder`` is for files of theirs."""
    enter = stack.enter_context
    enter(bearer(key))
    azure = {"api_key": key, "api_version": AZURE_VERSION, "max_retries": 0}
    return {
        "bedrock": enter(
            anthropic.AnthropicBedrock(
                api_key=key, aws_region="us-east-1", base_url=origin, max_retries=0
            )
        ),
        "vertex": enter(
            anthropic.AnthropicVertex(
                project_id="p", region="us-east5", access_token=key, base_url=f"{origin}/v1",
                max_retries=0,
            )
        ),
        "boto": enter(contextlib.closing(boto_at(*enter(tls_front(folder, origin))))),
        "genai": enter(
            genai.Client(
                vertexai=True,
                project="p",
                location="us-central1",
                credentials=Credentials(token=key),
                http_options={"base_url": origin},
            )
        ),
        "azure": enter(openai.AzureOpenAI(azure_endpoint=origin, **azure)),
        "azure responses": enter(openai.AzureOpenAI(azure_endpoint=origin, **azure)),
    }  # fmt: skip


class Invoke:
    """boto3, bodies of the messages shape through ``invoke_model``."""

    STOP, LENGTH, BLOCKED, CALLED = Messages.STOP, Messages.LENGTH, Messages.BLOCKED, "tool_use"

    def __init__(self, client):
        self.client = client
        self.turns = [{"role": "user", "content": QUESTION}]
        self.metrics = None
        """What the last frame of a stream told beside its event."""

    def body(self, *, tools=False):
        """A request as the vendor's guide writes it."""
        body = {
            "anthropic_version": "bedrock-2023-05-31",
            "messages": self.turns,
            "max_tokens": 64,
        }
        if tools:
            body["tools"] = [
                {"name": name, "input_schema": schema} for name, schema in SCHEMAS.items()
            ]
        return json.dumps(body)

    def ask(self, model, *, stream=False, tools=False):
        body = self.body(tools=tools)
        if stream:
            answer = self.client.invoke_model_with_response_stream(modelId=model, body=body)
            with contextlib.closing(answer["body"]) as frames:
                message = self.joined(json.loads(one["chunk"]["bytes"]) for one in frames)
        else:
            message = json.loads(self.client.invoke_model(modelId=model, body=body)["body"].read())
        content = message["content"]
        self.turns.append({"role": "assistant", "content": content})
        calls = [block for block in content if block["type"] == "tool_use"]
        self.called = [call["id"] for call in calls]
        usage = message["usage"]
        tokens = sum(
            usage.get(name) or 0
            for name in (
                "input_tokens",
                "cache_read_input_tokens",
                "cache_creation_input_tokens",
            )
        )
        return Heard(
            "".join(block["text"] for block in content if block["type"] == "text"),
            [(call["name"], call["input"]) for call in calls],
            message["stop_reason"],
            (tokens, usage["output_tokens"]),
        )

    def joined(self, events):
        """The message that the events make."""
        message, arguments = {}, {}
        for event in events:
            kind = event["type"]
            if kind == "message_start":
                message = event["message"]
            elif kind == "content_block_start":
                message["content"].append(dict(event["content_block"]))
            elif kind == "content_block_delta":
                delta, block = event["delta"], message["content"][event["index"]]
                if delta["type"] == "text_delta":
                    block["text"] += delta["text"]
                elif delta["type"] == "input_json_delta":
                    at = event["index"]
                    arguments[at] = arguments.get(at, "") + delta["partial_json"]
                elif delta["type"] == "thinking_delta":
                    block["thinking"] += delta["thinking"]
                elif delta["type"] == "signature_delta":
                    block["signature"] = delta["signature"]
            elif kind == "message_delta":
                message |= event["delta"]
                message["usage"] |= event["usage"]
            elif kind == "message_stop":
                self.metrics = event["amazon-bedrock-invocationMetrics"]
        for at, text in arguments.items():
            message["content"][at]["input"] = json.loads(text or "{}")
        return message

    def answer(self, results):
        Messages.answer(self, results)


CALLERS = {
    "bedrock": Messages,
    "vertex": Messages,
    "boto": Invoke,
    "genai": Generate,
    "azure": Chat,
    "azure responses": Responses,
}
