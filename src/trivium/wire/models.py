"""Model lists and single models as the three client families read them.

OpenAI clients take everything in one list. Anthropic's page by id, Google's by an opaque token
that here holds the id of the last model shown. The three have no member but ``data`` and ``id``
in common, so one shape is chosen by what the request carries. Sources: openai 3.52, anthropic
2.11 and google-genai 3.4 and the vendors' references, read on 2026-11-21.
"""

import base64
import binascii
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

import msgspec

from trivium.faults import Fault, Kind
from trivium.wire.checks import wrong
from trivium.wire.generate.path import METHODS, bare
from trivium.wire.operation import Operation, Shape

_encode = msgspec.json.Encoder().encode

PAGE_MAX: Final = 1000
"""Most models on one page, in both dialects that have pages; and on one whose size nobody asked
for: many clients read the first page only, and miss what the vendors' 20 and 50 leave out."""


class ListedModel(msgspec.Struct, frozen=True, kw_only=True):
    """What a list shows of a model."""

    id: str
    """The public name; may hold slashes and colons."""
    created: int = 0
    """Seconds since the epoch; 0 when unknown."""
    owned_by: str
    title: str | None = None
    """For people; ``None``: the name serves."""
    context_max: int | None = None
    """Tokens of context; ``None`` when unknown."""
    output_max: int | None = None
    """Tokens of output; ``None`` when unknown."""
    operations: frozenset[Operation] = frozenset()


def shape_for(
    headers: Mapping[str, str], query: Mapping[str, str], path_is_google: bool = False
) -> Shape:
    """In whose shape to answer: GENERATE, MESSAGES or CHAT. Header names are in lower case.

    Google's own paths leave no choice. On the shared path the way the key is presented decides.
    """
    if path_is_google or "x-goog-api-key" in headers or "key" in query:
        return Shape.GENERATE
    if not headers.keys().isdisjoint(("anthropic-version", "vendor-version", "x-api-key")):
        return Shape.MESSAGES
    return Shape.CHAT


def many(shape: Shape, models: Sequence[ListedModel], query: Mapping[str, str]) -> bytes:
    """The list, or the page of it that ``query`` asks for, in the order given.

    Raises INVALID_VALUE for a page size or position that does not exist.
    """
    if shape is Shape.MESSAGES:
        return _messages_page(models, query)
    if shape is Shape.GENERATE:
        return _generate_page(models, query)
    return _encode({"object": "list", "data": [_chat(model) for model in models]})


def one(shape: Shape, models: Iterable[ListedModel], name: str) -> bytes:
    """A single model by its decoded name. Raises MODEL_UNKNOWN."""
    wanted = bare(name) if shape is Shape.GENERATE else name
    for model in models:
        if model.id == wanted:
            return _encode(_RENDER.get(shape, _chat)(model))
    raise Fault(
        Kind.MODEL_UNKNOWN,
        f"The model `{wanted[:200]}` is not available on this gateway. "
        "GET /v1/models lists those that are.",
        param="model",
    )


def _chat(model: ListedModel) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "id": model.id,
        "object": "model",
        "created": model.created,
        "owned_by": model.owned_by,
    }
    if model.title is not None:
        shown["name"] = model.title  # no member of OpenAI's; Open WebUI shows it
    return shown


def _messages(model: ListedModel) -> dict[str, Any]:
    created = datetime.fromtimestamp(model.created, UTC)
    return {
        "type": "model",
        "id": model.id,
        "display_name": model.title or model.id,
        "created_at": created.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "lifecycle": "active",
        "max_input_tokens": model.context_max,
        "max_tokens": model.output_max,
        "capabilities": None,
    }


def _generate(model: ListedModel) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "name": f"models/{model.id}",
        "displayName": model.title or model.id,
        "supportedGenerationMethods": [
            method for method, operation in METHODS.items() if operation in model.operations
        ],
    }
    if model.context_max is not None:
        shown["inputTokenLimit"] = model.context_max
    if model.output_max is not None:
        shown["outputTokenLimit"] = model.output_max
    return shown


_RENDER: Final = {Shape.MESSAGES: _messages, Shape.GENERATE: _generate}


def _messages_page(models: Sequence[ListedModel], query: Mapping[str, str]) -> bytes:
    limit = _number(query, "limit", PAGE_MAX, least=1)
    if limit > PAGE_MAX:
        raise wrong("limit", f"be a whole number from 1 to {PAGE_MAX}")
    after, before = query.get("after_id"), query.get("before_id")
    if after and before:
        raise wrong("before_id", "be left out when `after_id` is given")
    if before:
        stop = _position(models, before, "before_id")
        start = max(0, stop - limit)
        more = start > 0
    else:
        start = _position(models, after, "after_id") + 1 if after else 0
        stop = start + limit
        more = stop < len(models)
    page = models[start:stop]
    return _encode(
        {
            "data": [_messages(model) for model in page],
            "first_id": page[0].id if page else None,
            "last_id": page[-1].id if page else None,
            "has_more": more,
        }
    )


def _generate_page(models: Sequence[ListedModel], query: Mapping[str, str]) -> bytes:
    size = min(_number(query, "pageSize", PAGE_MAX, least=0) or PAGE_MAX, PAGE_MAX)
    token = query.get("pageToken")
    start = _position(models, _opened(token), "pageToken") + 1 if token else 0
    page = models[start : start + size]
    body: dict[str, Any] = {"models": [_generate(model) for model in page]}
    if start + size < len(models):
        body["nextPageToken"] = base64.urlsafe_b64encode(page[-1].id.encode()).decode()
    return _encode(body)


def _opened(token: str) -> str:
    try:
        return base64.b64decode(token.encode(), b"-_", validate=True).decode()
    except (binascii.Error, UnicodeError):
        raise wrong("pageToken", "be the `nextPageToken` of the page before") from None


def _position(models: Sequence[ListedModel], name: str, param: str) -> int:
    for at, model in enumerate(models):
        if model.id == name:
            return at
    raise wrong(param, "be taken from a page of this list; no such model is on it now")


def _number(query: Mapping[str, str], name: str, default: int, *, least: int) -> int:
    text = query.get(name, "").strip()
    if not text:
        return default
    if text.isascii() and text.isdecimal() and len(text) <= 9 and int(text) >= least:
        return int(text)
    raise wrong(name, f"be a whole number from {least} to {PAGE_MAX}")
