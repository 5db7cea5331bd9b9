"""Where a provider's operations live: base URLs made regular, and the target of one call. Pure.

A base URL is written as the vendor's official SDK takes it, and people paste other spellings: with
or without the version segment, with a trailing slash, with a whole endpoint behind it. Spellings
whose meaning is certain are accepted; the rest is refused with what would be right. A version
segment is never doubled and never guessed behind a path of the operator's own.
"""

import re
from itertools import pairwise
from typing import Final
from urllib.parse import SplitResult, quote, urlencode, urlsplit

from trivium.providers.base import Provider
from trivium.wire.operation import SHAPE, Operation, Shape

_VERSION: Final = re.compile(r"v\d+(?:(?:alpha|beta)\d*)?")
_PORTS: Final = {"http": 80, "https": 443}
_BESIDE_LIST: Final = {
    Operation.CHAT: "/chat/completions",
    Operation.RESPONSES: "/responses",
    Operation.MESSAGES: "/messages",
    Operation.GENERATE: "/models/{model}",
}
"""Operations beside which a list of models lies, and what stands in its place there."""
_PUBLISHERS: Final = "/publishers/"
"""Below which Vertex AI has models, and no list of them for an account."""
_MODEL_COLLECTION: Final = re.compile(r"/v\d+(?:(?:alpha|beta)\d*)?/models(?:/.*)?$")
"""Where the path of a generate-content call begins: ``/v1beta/models/…``."""


def normalise(provider: Provider, base_url: str) -> str:
    """The base URL that ``target`` appends the provider's paths to: no trailing slash, no endpoint.

    Raises ValueError with text for the operator when ``base_url`` cannot be meant.
    """
    parts = _split(base_url)
    default = _default_path(provider)
    path = parts.path.rstrip("/")
    _refuse_odd_segments(path)
    if provider.place is not None:
        path = provider.place((parts.hostname or "").lower(), path)
    else:
        path = _versioned(_without_endpoint(provider, path, default), default)
    for served in provider.paths.values():
        _join(path, served)
    return f"{parts.scheme}://{parts.netloc.lower()}{path}"


def target(
    provider: Provider, base_url: str, operation: Operation, model: str, *, stream: bool = False
) -> tuple[str, str, int, str]:
    """(scheme, host, port, path and query) of one call; ``base_url`` is normalised.

    ``model`` is the channel's own name; it is percent-encoded where the path carries it. Google's
    names may hold slashes, which stay. ``stream``: an answer in frames is wanted. Raises ValueError
    when the provider does not serve the operation or the model's name cannot be part of a path.
    """
    served = provider.paths.get(operation)
    if stream:
        served = provider.stream_paths.get(operation, served)
    if served is None:
        raise ValueError(f"{provider.title} does not serve {operation.value}")
    parts = urlsplit(base_url)
    path = _join(parts.path, served)
    if "{model}" in path:
        path = path.replace("{model}", _model_in_path(model, operation))
    if provider.query:
        path = f"{path}{'&' if '?' in path else '?'}{urlencode(provider.query)}"
    # urlsplit has checked scheme and host when the base URL was normalised
    return parts.scheme, parts.hostname or "", parts.port or _PORTS[parts.scheme], path


def check_model(provider: Provider, model: str) -> None:
    """Raises ValueError when the model's name cannot be part of the path of some operation that
    carries it. Of what ``target`` may refuse that is all that depends on the model.
    """
    for paths in (provider.paths, provider.stream_paths):
        for operation, served in paths.items():
            if "{model}" in served:
                _model_in_path(model, operation)


def listing(provider: Provider, base_url: str) -> str | None:
    """Path and query of the vendor's list of models; ``None`` where its paths do not tell.

    The public shapes keep it beside their operations: ``/models`` for chat and responses,
    ``/v1/models`` for messages, ``/v1beta/models`` for generate-content (the references of OpenAI,
    Anthropic and Google, read on 2026-11-21). Whether another vendor has one is not known here.
    ``base_url`` is normalised.
    """
    for operation, ending in _BESIDE_LIST.items():
        served = provider.paths.get(operation)
        if served is None or provider.place is not None or served.startswith(_PUBLISHERS):
            continue
        head, found, _ = _join(urlsplit(base_url).path, served).partition(ending)
        if found and "{" not in head:
            query = f"?{urlencode(dict(provider.query))}" if provider.query else ""
            return f"{head}/models{query}"
    return None


def _split(base_url: str) -> SplitResult:
    """The parts of an absolute http(s) address. Raises ValueError."""
    text = base_url.strip()
    if any(mark in text for mark in "{}<>"):
        raise ValueError("it still holds a placeholder; put the account's own name there")
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        raise ValueError("it is not an address") from None
    if parts.scheme not in _PORTS or not parts.hostname:
        raise ValueError("it must begin with https:// or http:// and name a host")
    if port == 0:
        raise ValueError("port 0 cannot be called")
    if parts.username is not None or parts.password is not None:
        raise ValueError("it must not contain a user name or password; use api_key")
    if parts.query or parts.fragment or text.endswith(("?", "#")):
        raise ValueError("it must not contain a query; the provider adds its own")
    return parts


def _default_path(provider: Provider) -> str:
    """Path of the provider's own base URL, ``""`` for an origin."""
    return urlsplit(provider.base_url or provider.base_form or "").path.rstrip("/")


def _without_endpoint(provider: Provider, path: str, default: str) -> str:
    """``path`` without the endpoint, or the base of another shape, that was pasted with it."""
    for served in sorted(provider.paths.values(), key=len, reverse=True):
        if "{model}" not in served and not served.startswith("../") and path.endswith(served):
            return path[: -len(served)]
        if "{model}" in served and (head := served.partition("{model}")[0]) in path:
            return path[: path.index(head)]
    if Shape.GENERATE in {SHAPE[operation] for operation in provider.paths}:
        return _MODEL_COLLECTION.sub("", path)
    # the base that an SDK of the messages shape takes: `…/anthropic`, or the chat one less `/v1`
    for served in provider.paths.values():
        for spelling in _sdk_bases(_join(default, served)):
            if spelling not in ("", default) and path.endswith(spelling):
                return path[: -len(spelling)] + default
    return path


def _sdk_bases(path: str) -> list[str]:
    """``path`` and the bases an Anthropic SDK may be given to reach it, longest first."""
    endings = ("", "/messages", "/v1/messages") if path.endswith("/v1/messages") else ()
    return [path.removesuffix(ending) for ending in endings]


def _versioned(path: str, default: str) -> str:
    """``path`` with the version segment exactly where the provider's own base URL has it."""
    head, _, last = path.rpartition("/")
    own_head, _, own_last = default.rpartition("/")
    if _VERSION.fullmatch(own_last):
        return default if path in ("", own_head) else path
    return (head if _VERSION.fullmatch(last) else path) or default


def _refuse_odd_segments(path: str) -> None:
    segments = path.split("/")[1:]
    if any(segment in ("", ".", "..") for segment in segments):
        raise ValueError("its path has an empty or relative segment")
    for one, other in pairwise(segments):
        if one == other and _VERSION.fullmatch(one):
            raise ValueError(f"it names the version twice (/{one}/{one}); once is right")
    if any(ord(char) <= 32 or ord(char) >= 127 for char in path):
        raise ValueError("its path has a character that must be percent-encoded")


def _join(base: str, served: str) -> str:
    """``served`` below ``base``, or beside it when it begins with ``../``. Raises ValueError."""
    head = base
    while served.startswith("../"):
        if not head:
            raise ValueError("its path is too short for the provider's other shapes")
        head = head.rpartition("/")[0]
        served = served.removeprefix("../")
        if not served.startswith("../"):
            served = "/" + served
    return head + served


def _model_in_path(model: str, operation: Operation) -> str:
    if SHAPE[operation] is Shape.GENERATE:
        # the vendor's lists and its SDKs write `models/NAME` where others write `NAME`
        model = model.removeprefix("models/")
        safe = "/@"
    else:
        safe = "@"  # Claude's on Vertex AI have a day behind it
    if not model or any(segment in ("", ".", "..") for segment in model.split("/")):
        raise ValueError(f"the model name {model!r} cannot be part of an address")
    return quote(model, safe=safe)
