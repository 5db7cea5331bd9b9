"""Paths to what they ask for. One table; everything else on the gateway is a 404 in JSON."""

import contextlib
import functools
import re
from collections.abc import Mapping
from typing import Final
from urllib.parse import unquote

import msgspec

from trivium.edge import openapi
from trivium.edge.cloud_routes import aliased, cloud_route, listed
from trivium.faults import Fault, Kind
from trivium.pipeline.structs import Route, StoredResponseRoute, VideoRoute
from trivium.wire.converse import path as converse_path
from trivium.wire.generate import path as generate_path
from trivium.wire.multipart import Limits as FormLimits
from trivium.wire.operation import ASYNC_JOBS, SHAPE, TABLE, FormUse, Operation, Shape
from trivium.wire.surface import FRAMED
from trivium.wire.videos.request import FORM as VIDEO_FORM

RELAY: Final[dict[bytes, Operation]] = {
    path.encode(): operation
    for operation, row in TABLE.items()
    if operation not in ASYNC_JOBS
    for path in row.paths
    if "{" not in path
}
"""POST paths whose body names the model."""

PAGES: Final = frozenset({b"/healthz", b"/readyz", b"/openapi.json"})
"""Paths of the pages plane that are served on every port."""
METRICS: Final = b"/metrics"
"""Served where the pages for people are."""
OAUTH: Final = b"/api/oauth2/"
"""Of the pages' paths, those whose errors are OAuth's."""
PEOPLE: Final = frozenset(
    b".well-known account admin api authorize email favicon.ico invitation login logout password "
    b"scim setup sign-up static team-invitation topup webhooks".split()
)
"""First segments of the paths of pages, forms and their API, which know their own methods."""
_NOT_OURS: Final = b"/api/v1/"
"""Where another gateway has what is under ``/v1/`` here; clients come along with its base URL."""

_ROUTES: Final = {path: Route(operation=operation) for path, operation in RELAY.items()}
_GENERATE: Final = re.compile(rb"(?:/vendorc|/gemini)?/(?:v1beta|v1alpha|v1)/(.*)", re.DOTALL)
_GOOGLE: Final = re.compile(rb"/(?:vendorc|gemini)/(?:v1beta|v1alpha|v1)/|/(?:v1beta|v1alpha)/")
_GOOGLE_READER: Final = re.compile(
    rb"/(?:vendorc|gemini)(?:/|$)|(?:/upload)?/(?:v1beta|v1alpha)(?:/|$)"
)
"""Addresses that only clients of the generate-content shape ask for, served or not."""
_BEDROCK: Final = converse_path.PREFIX.encode()
"""Addresses that only clients of Amazon Bedrock ask for, served or not."""
_COLON: Final = re.compile(rb":|%3[Aa]")
EXPLAIN: Final = b"/api/explain"
_AUTHORIZE: Final = b"/api/oauth2/authorize"
_LISTS: Final = frozenset({b"/v1/models", b"/models"})
_STORED: Final = re.compile(rb"/v1/responses/([^/]+)(?:/(cancel|input_items))?")
_FILE: Final = re.compile(rb"/assets/([0-9a-f]{40})")
_VIDEO: Final = re.compile(rb"/v1/videos(?:/([^/]+)(?:/(content|remix))?)?")
_DELETE: Final = "DELETE"
_NOT_IDS: Final = re.compile(rb"/v1/(?:responses/compact|videos/(?:characters|edits|extensions))")
"""Addresses of OpenAI's that are written as if a word were an id, and are not served."""
_OLLAMA: Final = re.compile(rb"/api/(?:chat|generate|tags|show|ps|pull|embed|embeddings)")
"""Addresses of Ollama's own API, which stand among those of the pages."""


REMEMBERED_BYTES_MAX: Final = 200
"""Longest address of a generate-content request that is read only once."""


class ModelListRoute(msgspec.Struct, frozen=True, kw_only=True):
    """GET of the model list or of one model."""

    google: bool
    """The path belongs to the generate-content shape alone; else headers decide the shape."""
    model: str | None = None
    """``None``: the list."""


class ExplainRoute(msgspec.Struct, frozen=True):
    """A request to be explained, not made."""


class AssetRoute(msgspec.Struct, frozen=True):
    """A generated file by its signed address."""

    asset_id: str


class PageRoute(msgspec.Struct, frozen=True):
    """Served by the pages plane."""


class RootRoute(msgspec.Struct, frozen=True):
    """``/``: clients probe it; any answer does."""


Target = (
    Route
    | StoredResponseRoute
    | VideoRoute
    | ModelListRoute
    | ExplainRoute
    | AssetRoute
    | PageRoute
    | RootRoute
)

FORMS: Final = {
    operation: FormLimits(fields_bytes=row.form_text_bytes)
    for operation, row in TABLE.items()
    if row.form is not FormUse.NEVER and operation not in ASYNC_JOBS
}
"""Operations whose body may be a multipart form, which is then taken in as an upload."""

_POST: Final = "POST"
_GET: Final = "GET, HEAD"


class NotAllowed(Fault):
    """METHOD_NOT_ALLOWED, with the methods that are."""

    __slots__ = ("allowed",)

    def __init__(self, allowed: str) -> None:
        super().__init__(Kind.METHOD_NOT_ALLOWED, f"This path takes {allowed} only.")
        self.allowed = allowed


def resolve(method: str, path: bytes, query: bytes) -> Target:
    """What a request asks for. Raises ``Fault`` (PATH_UNKNOWN) and ``NotAllowed``."""
    posted: Route | ExplainRoute | None = _ROUTES.get(path)
    if posted is None and (other := aliased(path)) != path:
        return resolve(method, other, query)
    if posted is None:
        if path == EXPLAIN:
            posted = ExplainRoute()
        else:
            page = _page(method, path)
            if page is not None:
                return page
            posted = _converse(path) or _generate(path, query)
    if posted is None:
        return _lasting(method, path) or _resolve_listing(method, path)
    if method != "POST":
        raise NotAllowed(_POST)
    return posted


def _lasting(method: str, path: bytes) -> StoredResponseRoute | VideoRoute | None:
    """What outlives the request that made it: stored responses, videos.

    Raises ``NotAllowed``, and ``Fault`` for an address of theirs that is not served.
    """
    if _NOT_IDS.fullmatch(path):
        raise Fault(Kind.PATH_UNKNOWN, _unknown(path))
    stored = _STORED.fullmatch(path)
    if stored is not None:
        return _stored(method, stored)
    video = _VIDEO.fullmatch(path)
    return None if video is None else _video(method, video)


def _page(method: str, path: bytes) -> PageRoute | RootRoute | AssetRoute | None:
    if path[1:].partition(b"/")[0] in PEOPLE and not path.startswith(_NOT_OURS):
        if _OLLAMA.fullmatch(path):
            raise Fault(Kind.PATH_UNKNOWN, _unknown(path))
        return PageRoute()
    file = _FILE.fullmatch(path)
    if path != b"/" and path not in PAGES and path != METRICS and file is None:
        return None
    if method not in ("GET", "HEAD"):
        raise NotAllowed(_GET)
    if file is not None:
        return AssetRoute(file[1].decode())
    return RootRoute() if path == b"/" else PageRoute()


def _resolve_listing(method: str, path: bytes) -> ModelListRoute:
    listing = _listing(path)
    if listing is not None:
        if method in ("GET", "HEAD"):
            return listing
        if method == "POST" and listing.model and ":" in listing.model:
            ours = listed(path) is None
            text = _no_method(listing.model) if ours else _unknown(path)
            raise Fault(Kind.PATH_UNKNOWN, text)
        raise NotAllowed(_GET)
    raise Fault(Kind.PATH_UNKNOWN, _unknown(path))


def form_limits(target: Target | None) -> FormLimits | None:
    """What a form may hold that is sent there; ``None`` where none is taken."""
    if isinstance(target, VideoRoute):
        return VIDEO_FORM if target.action in ("create", "remix") else None
    return FORMS.get(target.operation) if isinstance(target, Route) else None


def allowed(path: bytes) -> str | None:
    """Methods a path takes, as ``Allow`` has them; ``None`` when there is nothing.

    Empty for what people open in a browser: those paths know their own methods.
    """
    found: list[str] = []
    with contextlib.suppress(Fault):
        if path[1:].partition(b"/")[0] in PEOPLE and isinstance(
            resolve("GET", path, b""), PageRoute
        ):
            return _of_page(path)
    for method, names in (("GET", _GET), ("POST", _POST), ("DELETE", _DELETE)):
        with contextlib.suppress(Fault):
            resolve(method, path, b"")
            found.append(names)
    return ", ".join([*found, "OPTIONS"]) if found else None


def _of_page(path: bytes) -> str:
    """As ``allowed``, of the pages plane: what is described there for programs."""
    methods = openapi.methods(path.decode("latin-1"))
    if path == _AUTHORIZE:  # the one that takes a form beside a query, and no HEAD
        return "GET, POST, OPTIONS"
    named = [_GET if method == "GET" else method for method in methods]
    return ", ".join([*named, "OPTIONS"]) if named else ""


def written_in(route: Route) -> Shape:
    """In whose shape an error of a request is written: that of the cloud it is addressed as."""
    return Shape.CONVERSE if route.surface in FRAMED else SHAPE[route.operation]


def shape_of(path: bytes) -> Shape | None:
    """In whose shape an error on this path is written; ``None`` for the plain form."""
    path = aliased(path)
    route = _ROUTES.get(path) or cloud_route(path, sse=False)
    if route is not None:
        return written_in(route)
    if _STORED.fullmatch(path):
        return Shape.RESPONSES
    if _VIDEO.fullmatch(path):
        return Shape.VIDEOS
    if path.startswith(_BEDROCK):
        return Shape.CONVERSE
    if _GOOGLE_READER.match(path):
        return Shape.GENERATE
    found = _GENERATE.fullmatch(path)
    return Shape.GENERATE if found is not None and _COLON.search(found[1]) else None


_RESPONSES: Final = {
    "": {"GET": "retrieve", "HEAD": "retrieve", "DELETE": "delete"},
    "cancel": {"POST": "cancel"},
    "input_items": {"GET": "input_items", "HEAD": "input_items"},
}
"""What each method asks of each path below that of a stored response."""
_VIDEOS: Final = {
    "": {"POST": "create", "GET": "list", "HEAD": "list"},
    "video": {"GET": "retrieve", "HEAD": "retrieve", "DELETE": "delete"},
    "content": {"GET": "content", "HEAD": "content"},
    "remix": {"POST": "remix"},
}
"""What each method asks of each path below ``/v1/videos``."""


def _stored(method: str, found: re.Match[bytes]) -> StoredResponseRoute:
    """What is asked of a stored response. Raises ``NotAllowed``."""
    action = _action(method, _RESPONSES[(found[2] or b"").decode()])
    return StoredResponseRoute(response_id=unquote(found[1].decode("latin-1")), action=action)


def _video(method: str, found: re.Match[bytes]) -> VideoRoute:
    """What is asked of videos, or of one. Raises ``NotAllowed``."""
    below = (found[2] or b"").decode() or ("video" if found[1] else "")
    action = _action(method, _VIDEOS[below])
    return VideoRoute(action=action, video_id=unquote((found[1] or b"").decode("latin-1")))


def _action(method: str, actions: Mapping[str, str]) -> str:
    if method not in actions:
        raise NotAllowed(", ".join(sorted(actions, key=("GET", "HEAD", "POST", _DELETE).index)))
    return actions[method]


def _converse(path: bytes) -> Route | None:
    parsed = converse_path.parse(path)
    return None if parsed is None else Route(operation=parsed[1], model=parsed[0])


@functools.lru_cache(maxsize=1024)
def _remembered(path: bytes, query: bytes) -> Route | None:
    return _read_generate(path, query)


def _generate(path: bytes, query: bytes) -> Route | None:
    # models are few and asked for again and again; what is remembered is short, as callers
    # choose it
    if len(path) + len(query) <= REMEMBERED_BYTES_MAX:
        return _remembered(path, query)
    return _read_generate(path, query)


def _read_generate(path: bytes, query: bytes) -> Route | None:
    found = _GENERATE.fullmatch(path)
    rest = "" if found is None else found[1].decode("latin-1")
    if rest.startswith("tunedModels/"):
        rest = "models/" + rest
    if not rest.startswith("models/"):
        return cloud_route(path, sse=_is_sse(query))
    parsed = generate_path.parse(rest.removeprefix("models/"))
    if parsed is None:
        return None
    model, operation = parsed
    array = operation is Operation.GENERATE_STREAM and not _is_sse(query)
    return Route(operation=operation, model=model, array=array)


def _is_sse(query: bytes) -> bool:
    return any(
        pair.lower() in (b"alt=sse", b"%24alt=sse", b"$alt=sse") for pair in query.split(b"&")
    )


def _listing(path: bytes) -> ModelListRoute | None:
    if (cloud := listed(path)) is not None:
        return ModelListRoute(google=True, model=cloud[0])
    google = _GOOGLE.match(path) is not None
    if google:
        rest = path[path.index(b"/v1") :].split(b"/", 2)[2]
    elif path in _LISTS:
        return ModelListRoute(google=False)
    elif path.startswith(b"/v1/models/"):
        rest = path[4:]
    elif path.startswith(b"/models/"):
        rest = path[1:]
    else:
        return None
    if rest == b"models":
        return ModelListRoute(google=google)
    name = generate_path.decode_model(rest.removeprefix(b"models/").decode("latin-1"))
    if not rest.startswith(b"models/") or not name or name.startswith(":"):
        return None
    return ModelListRoute(google=google, model=name)


_OPENAI: Final = re.compile(
    rb"/(?:chat/completions|responses|completions|embeddings|moderations|videos)$"
)
_HINTS: Final = {
    re.compile(rb"^//"): "The path begins with two slashes: end the base URL without one.",
    re.compile(rb"^/v1/v1/"): "The base URL ends in /v1 twice: leave one out.",
    re.compile(rb"^/messages"): (
        "The path is /v1/messages: let the base URL end in /v1, or without it for Anthropic's "
        "own SDKs, which add it."
    ),
    re.compile(rb"^/api/[a-z]+$"): (
        "Ollama's own API is not served: use the client's OpenAI mode, with a base URL that "
        "ends in /v1."
    ),
    re.compile(rb"^(?:/vendorc|/gemini)?/v1(?:beta1)?/(?:projects|publishers)/"): (
        "Of Vertex AI are served, below …/publishers/{publisher}/models/{model}: "
        ":generateContent, :streamGenerateContent, :countTokens, :embedContent, :predict for "
        "texts, :rawPredict and :streamRawPredict, besides …/endpoints/openapi/chat/completions."
    ),
    re.compile(rb"^/openai/"): (
        "Of Azure OpenAI are served /openai/deployments/{model}/… for chat/completions, "
        "completions, embeddings, images and audio, and /openai/v1/… for what is at /v1/…."
    ),
    re.compile(rb"^/model/"): (
        "Of Amazon Bedrock are served, below /model/{model}/: converse, converse-stream, invoke, "
        "invoke-with-response-stream and count-tokens."
    ),
    re.compile(rb"^/(?:v1/)?engines(?:/|$)"): (
        "Engines are models now: POST to /v1/completions, /v1/chat/completions or "
        "/v1/embeddings, with the name as `model` in the body."
    ),
    re.compile(rb"^/v1/responses/compact$"): (
        "Compaction is not served: send the conversation to POST /v1/responses, shortened by "
        "the client."
    ),
    re.compile(rb"^/v1/videos/."): (
        "Videos are made by POST /v1/videos and changed by POST /v1/videos/{id}/remix; "
        "characters, edits and extensions are not served."
    ),
    re.compile(rb"^/v1/realtime"): "Realtime sessions are not served: POST to /v1/responses.",
    re.compile(rb"^/.*/(?:v1beta|v1alpha|v1)/models/[^/]*:"): (
        "Google clients add the version themselves: the base URL ends before it, or in /gemini."
    ),
    re.compile(rb"^/(?:vendorc|gemini)/models/"): "The path needs a version: /v1beta/models/…",
    re.compile(rb"/$"): "Leave the trailing slash out.",
}
"""What to tell of a path that is not served: the first whose pattern is found in it."""


def _unknown(path: bytes) -> str:
    shown = path[:200].decode("latin-1")
    hint = next((text for pattern, text in _HINTS.items() if pattern.search(path)), None)
    return f"There is nothing at {shown}. {hint or _elsewhere(path)}"


def _elsewhere(path: bytes) -> str:
    """Where something is that a wrong base URL, or other case, leads past."""
    for known in (*RELAY, *sorted(_LISTS)):
        if known.startswith(b"/v1/") and path.lower().endswith(known):
            return f"It is served at {known.decode()}: end the base URL so that it comes out."
    if _OPENAI.search(path):
        return "OpenAI clients take a base URL that ends in /v1."
    return "GET /openapi.json lists what is served."


def _no_method(name: str) -> str:
    method = name.rpartition(":")[2][:200]
    known = ", ".join(generate_path.METHODS)
    return f"There is no method `{method}` of models here; there are {known}."
