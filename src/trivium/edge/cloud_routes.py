"""Addresses under which clouds have the public shapes, for their own clients.

* Amazon Bedrock: ``/model/{model}/invoke`` and what is beside it, for bodies of the messages shape.
* Vertex AI: ``/v1/projects/…/publishers/…/models/{model}:…``, with or without a project, as
  ``v1beta1`` too, and below the prefixes of the generate-content shape.
* Azure OpenAI: ``/openai/deployments/{model}/…``, and ``/openai/…`` for what is at ``/v1/…`` here.

Sources: botocore 1.44 (bedrock-runtime), google-genai 3.4, anthropic 2.11 (``lib/bedrock``,
``lib/vertex``) and openai 3.52 (``lib/azure.py``), their requests read on 2026-11-28.
"""

import re
from typing import Final
from urllib.parse import unquote_to_bytes

from trivium.pipeline.structs import Route
from trivium.wire.generate import path as generate_path
from trivium.wire.operation import TABLE, Operation
from trivium.wire.surface import Surface

INVOKE: Final = {
    b"invoke": (Operation.MESSAGES, Surface.INVOKE),
    b"invoke-with-response-stream": (Operation.MESSAGES, Surface.INVOKE_STREAM),
    b"count-tokens": (Operation.MESSAGES_COUNT, Surface.INVOKE_COUNT),
}
"""What Bedrock's clients ask of a model, by the last segment."""
PREDICT: Final = {
    "rawPredict": (Operation.MESSAGES, Surface.PREDICT),
    "streamRawPredict": (Operation.MESSAGES, Surface.PREDICT_STREAM),
}
"""What Vertex's clients ask of a model of Anthropic's."""
DEPLOYED: Final = (
    Operation.CHAT,
    Operation.COMPLETIONS,
    Operation.EMBEDDINGS,
    Operation.IMAGES,
    Operation.IMAGES_EDIT,
    Operation.SPEECH,
    Operation.TRANSCRIPTIONS,
    Operation.TRANSLATIONS,
)
"""Operations that Azure's clients ask of a deployment."""

VERTEX: Final = re.compile(
    rb"(?:/vendorc|/gemini)?/v1(?:beta1)?/(?:projects/[^/]+/locations/[^/]+/)?"
    rb"(?:publishers/([^/]+)/)?models/(.+)",
    re.DOTALL,
)
VERTEX_LIST: Final = re.compile(
    rb"(?:/vendorc|/gemini)?/v1(?:beta1)?/"
    rb"(?:projects/[^/]+/locations/[^/]+/(?:publishers/[^/]+/)?|publishers/[^/]+/)models(/.+)?",
    re.DOTALL,
)
_CHAT_ON_VERTEX: Final = re.compile(
    rb"(?:/vendorc|/gemini)?/v1(?:beta1)?/projects/[^/]+/locations/[^/]+/endpoints/openapi"
    rb"/chat/completions"
)
_ALIAS: Final = re.compile(
    rb"/openai(?:/v1)?(/(?:chat/completions|completions|embeddings|moderations|responses|models"
    rb"|images/(?:generations|edits|variations)|audio/(?:speech|transcriptions|translations)"
    rb"|videos)(?:/.*)?)",
    re.DOTALL,
)
_MODEL: Final = b"/model/"
_DEPLOYMENT: Final = b"/openai/deployments/"
_PLAIN: Final = frozenset({"google", "anthropic"})
"""Publishers whose models are called by the model's name alone; else it begins with theirs."""
_DEPLOYMENTS: Final = tuple(
    (path.removeprefix("/v1").encode(), operation)
    for operation in DEPLOYED
    for path in TABLE[operation].paths
)
"""Endings of addresses: of two that fit, the longer comes first."""
_COUNT: Final = "count-tokens"
_PREDICT_METHOD: Final = "predict"
_VECTORS: Final = Operation.GENERATE_EMBED_BATCH


def aliased(path: bytes) -> bytes:
    """The address that an Azure client means; any other path itself."""
    if not path.startswith(b"/openai/"):
        return path
    found = _ALIAS.fullmatch(path)
    return path if found is None else b"/v1" + found[1]


def cloud_route(path: bytes, *, sse: bool) -> Route | None:
    """What a client of a cloud asks for; ``None``: nothing of the kind.

    ``sse``: whether the address asks for a generate-content stream as events.
    """
    if path.startswith(_MODEL):
        return _invoked(path.removeprefix(_MODEL))
    if path.startswith(_DEPLOYMENT):
        return _deployed(path.removeprefix(_DEPLOYMENT))
    if _CHAT_ON_VERTEX.fullmatch(path):
        return Route(operation=Operation.CHAT)
    found = VERTEX.fullmatch(path)
    if found is None or VERTEX_LIST.fullmatch(path) is None:
        return None
    return _predicted((found[1] or b"google"), found[2].decode("latin-1"), sse=sse)


def _invoked(rest: bytes) -> Route | None:
    model, _, action = rest.rpartition(b"/")
    asked = INVOKE.get(action)
    if asked is None or not (name := _text(model)):
        return None
    return Route(operation=asked[0], model=name, surface=asked[1])


def _deployed(rest: bytes) -> Route | None:
    for ending, operation in _DEPLOYMENTS:
        if rest.endswith(ending):
            name = _text(rest.removesuffix(ending))
            surface = Surface.DEPLOYMENT
            return Route(operation=operation, model=name, surface=surface) if name else None
    return None


def _predicted(publisher: bytes, rest: str, *, sse: bool) -> Route | None:
    name, _, method = (_text(rest.encode("latin-1")) or "").rpartition(":")
    asked = PREDICT.get(method)
    if asked is not None and name == _COUNT:
        return Route(operation=Operation.MESSAGES_COUNT, surface=Surface.PREDICT_COUNT)
    owner = _text(publisher) or ""
    model = name if owner in _PLAIN else f"{owner}/{name}"
    if method == _PREDICT_METHOD:
        asked = (_VECTORS, Surface.PREDICT_VECTORS)
    operation, surface = asked or (generate_path.METHODS.get(method), Surface.OWN)
    if operation is None or not name:
        return None
    array = operation is Operation.GENERATE_STREAM and not sse
    return Route(operation=operation, model=model, array=array, surface=surface)


def listed(path: bytes) -> tuple[str | None] | None:
    """The model that a Vertex client reads about, ``(None,)`` for their list; ``None``: neither."""
    found = VERTEX_LIST.fullmatch(path)
    if found is None:
        return None
    if found[1] is None:
        return (None,)
    name = generate_path.decode_model(found[1][1:].decode("latin-1"))
    return None if not name or name.startswith(":") else (name,)


def _text(raw: bytes) -> str | None:
    """A segment as it was meant; ``None`` where it is no text."""
    try:
        return unquote_to_bytes(raw).decode()
    except UnicodeDecodeError:
        return None
