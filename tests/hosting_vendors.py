"""Providers that have the messages shape in a wrapping, and what their vendors insist on."""

import base64
import json

from trivium.providers.base import Provider
from trivium.providers.credential import STATIC
from trivium.providers.failure import default_failure
from trivium.providers.registry import PROVIDERS
from trivium.providers.wrapping import (
    BEDROCK_COUNT,
    BEDROCK_MESSAGES,
    VERTEX_COUNT,
    VERTEX_MESSAGES,
)
from trivium.wire import event_stream
from trivium.wire.operation import EVENT_STREAM, Operation

_PUBLISHED = "/publishers/anthropic/models"


def _provider(name, **fields):
    return Provider(
        name=name,
        title=name,
        base_url=None,
        base_form="https://{region}.example.com/v1",
        credential=STATIC["bearer"],
        failure=default_failure,
        **fields,
    )


BEDROCK = _provider(
    "invoked",
    paths={
        Operation.MESSAGES: "/model/{model}/invoke",
        Operation.MESSAGES_COUNT: "/model/{model}/count-tokens",
    },
    stream_paths={Operation.MESSAGES: "/model/{model}/invoke-with-response-stream"},
    stream_accept={Operation.MESSAGES: EVENT_STREAM},
    wrappings={Operation.MESSAGES: BEDROCK_MESSAGES, Operation.MESSAGES_COUNT: BEDROCK_COUNT},
)
VERTEX = _provider(
    "predicted",
    paths={
        Operation.MESSAGES: f"{_PUBLISHED}/{{model}}:rawPredict",
        Operation.MESSAGES_COUNT: f"{_PUBLISHED}/count-tokens:rawPredict",
    },
    stream_paths={Operation.MESSAGES: f"{_PUBLISHED}/{{model}}:streamRawPredict"},
    forwards=frozenset({"anthropic-beta"}),
    wrappings={Operation.MESSAGES: VERTEX_MESSAGES, Operation.MESSAGES_COUNT: VERTEX_COUNT},
)
HOSTING = {**PROVIDERS, "invoked": BEDROCK, "predicted": VERTEX}


def chunk(data, **more):
    """The frame of one event's data."""
    raw = data if isinstance(data, bytes) else json.dumps(data).encode()
    payload = {"bytes": base64.b64encode(raw).decode(), "p": "abcdefgh", **more}
    return event_stream.event("chunk", json.dumps(payload).encode())


def taken(request, *, stream):
    """The body that a cloud was sent, which must be one that it takes."""
    head, _, raw = request.raw.partition(b"\r\n\r\n")
    path = head.split(b" ", 2)[1].decode()
    body = json.loads(raw)
    if path.startswith("/v1/model/"):
        assert path.endswith("-with-response-stream" if stream else "/invoke"), path
        assert "stream" not in body
        versions = ("bedrock-2023-05-31", "2026-10-21")
    else:
        assert path.endswith(":streamRawPredict" if stream else ":rawPredict"), path
        assert stream is body.get("stream", False)
        versions = ("vertex-2023-10-16", "2026-10-21")
    assert "model" not in body
    assert body["anthropic_version"] in versions
    assert isinstance(body["max_tokens"], int)
    return path, body
