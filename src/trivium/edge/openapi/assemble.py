"""Puts the rows and the schemas together into one OpenAPI 3.1.0 document.

There is a row for every operation served now, which routes must match. Those of a shape stand
beside its schemas, in the module of its name; here are those of no shape.
"""

import importlib
from types import ModuleType
from typing import Any, Final

import msgspec

from trivium import __version__
from trivium.edge.openapi import admin, clouds, oauth, scim, shared
from trivium.edge.openapi.row import OperationRow, described, operations
from trivium.edge.openapi.schema import Schema, media, one_of, parameters, ref, schema, schemas
from trivium.wire.operation import EVENT_STREAM, PUBLIC_SHAPES, TABLE, Shape

SHAPES: Final[dict[Shape, ModuleType]] = {
    shape: importlib.import_module(f"trivium.edge.openapi.{shape.value}") for shape in PUBLIC_SHAPES
}
"""What describes each shape: ``ABOUT`` it in a sentence, its ``OPERATIONS`` and ``SCHEMAS``."""

_BESIDES: Final = operations("""
gateway
GET /v1/models listModels "Models this key may ask for, as the caller's client family reads them:
  the way the key is presented and a version header decide." tag=models
  answer=ModelList|MessagesModelList|GenerateModelList
GET /v1/models/{model} retrieveModel "One model, as the caller's client family reads it." tag=models
  answer=Model|MessagesModel|GenerateModel parameters=model
GET /vendorc/v1beta/models listGenerateModels "Models this key may ask for." tag=models
  answer=GenerateModelList parameters=pageSize|pageToken keys=generate
GET /vendorc/v1beta/models/{model} retrieveGenerateModel "One model." tag=models
  answer=GenerateModel parameters=model keys=generate
POST /api/explain explainRequest "What would become of a request: channels, bodies, what would be
  lost. Nobody is called and nothing is charged." request=ExplainRequest answer=Explanation keys=any
GET /healthz getHealth "Whether the process runs." answer=Health
GET /readyz getReadiness "Whether a priced call can be answered now; 503 when not. Names what is
  missing." answer=Readiness
GET /metrics getMetrics "Numbers for Prometheus, where the operator has switched them on."
  files=text/plain
GET /openapi.json getDescription "This description." answer=Description
""")
"""Operations of no shape."""


def _rows() -> tuple[OperationRow, ...]:
    """The rows of all shapes, in the order of the table of operations, and those of none."""
    shapes = dict.fromkeys(row.shape for row in TABLE.values() if row.paths)
    own = [row for shape in shapes for row in SHAPES[shape].OPERATIONS]
    return (*own, *clouds.OPERATIONS, *clouds.moved(own), *_BESIDES)


OPERATIONS: Final = _rows()
"""In the order of the document."""

VERSION: Final = "3.5.0"
"""Of the interface description, not of the software."""

_ABOUT: Final = (
    "Three native request shapes side by side: chat and responses under `/v1`, messages at "
    "`/v1/messages`, generate-content under `/vendorc/v1beta`. The last is also served under "
    "`/gemini/v1beta` and `/v1beta`, and as `v1` and `v1alpha`. `anthropic-version` and "
    "`anthropic-user-profile-id` are accepted for the two `vendor-` headers. A key may be "
    "presented in any of the ways listed, on every operation. Members that are not described "
    "here travel to the vendor unchanged. Every answer carries its id in `x-request-id` and "
    "`request-id`. Where the gateway had to estimate what no upstream counted, "
    "`trivium-estimated` names it: `tokens` of a token count, `usage` of an answer. Where a key "
    "has limits, answers tell of them in the headers of their shape: `x-ratelimit-*`, or "
    "`anthropic-ratelimit-*` on `/v1/messages`."
)

_FAILURES: Final = {
    "400": ("InvalidRequest", "Invalid request."),
    "401": ("AuthenticationFailed", "Authentication failed."),
    "403": ("PermissionDenied", "Permission denied."),
    "404": ("NotFound", "Not found."),
    "413": ("RequestTooLarge", "The body is too large."),
    "415": ("UnsupportedMediaType", "The body is compressed, or of a type that is not taken."),
    "429": ("RateLimited", "Rate limited, or a balance or budget is exhausted."),
    "431": ("HeadersTooLarge", "The headers are too large."),
    "5XX": ("ServerError", "Server or upstream error."),
}

_OF_BODIES: Final = frozenset({"413", "415"})
"""Of the failures, those that only an operation with a body is asked into."""

_TAGS: Final = {
    **{shape.value: module.ABOUT for shape, module in SHAPES.items()},
    clouds.TAG: clouds.ABOUT,
    "models": "What can be asked for.",
    "gateway": "The gateway itself; no key is asked for.",
}

_SECURITY: Final[dict[str, Schema]] = {
    "gatewayBearer": {
        "type": "http",
        "scheme": "bearer",
        "description": "`Authorization: Bearer sk-gateway-…`",
    },
    "gatewayMessagesKey": {"type": "apiKey", "in": "header", "name": "x-api-key"},
    "gatewayGenerateKey": {"type": "apiKey", "in": "header", "name": "x-goog-api-key"},
    "gatewayDeploymentKey": {"type": "apiKey", "in": "header", "name": "api-key"},
    "gatewayGenerateQuery": {
        "type": "apiKey",
        "in": "query",
        "name": "key",
        "description": "Stripped before anything is logged; an operator may switch it off.",
    },
}


_PARAMETERS: Final = parameters("""
model = path model: text "A model of this gateway; its name may hold slashes and colons."
project = path project: text "Any name: nothing is looked up by it."
location = path location: text "The same."
alt = query alt: 'json' | 'sse' "How the pieces are framed."
response_id = path response_id: text "Id of a stored response."
video_id = path video_id: text "Id of a video."
variant = query variant: 'video' | 'thumbnail' | 'spritesheet' "Which of its files." = 'video'
range = header range: text "One range of bytes, such as `bytes=0-1048575`."
asset_id = path asset_id: text "Id of a generated file."
exp = query exp!: int 1.. "Of the signed address."
sig = query sig!: text "Of the signed address."
limit = query limit: int 1..100 "Items a page." = 20
order = query order: 'asc' | 'desc' "By age." = 'desc'
after = query after: text "Id of the last item of the page before."
pageSize = query pageSize: int 0.. "At most so many; 1000 when left out, 0 or above."
pageToken = query pageToken: text "`nextPageToken` of the page before."
vendorVersion = header vendor-version: '2023-06-01' | '2026-10-21' "API version; the older one
  when left out."
vendorUserProfileId = header vendor-user-profile-id: text "Attributes the request to a user
  profile when acting for another party; needs the user-profiles beta header."
""")


def describe(
    public_url: str | None, auth_url: str | None = None, api_url: str | None = None
) -> bytes:
    """The whole document as JSON. ``public_url`` is the origin clients see; ``None``: relative.

    ``auth_url``, ``api_url``: origins of the OAuth service and of registration; ``None``: the same.
    """
    paths: dict[str, dict[str, Any]] = {}
    for row in OPERATIONS:
        paths.setdefault(row.path, {})[row.method.lower()] = _operation(row)
    paths |= oauth.paths(auth_url, api_url) | admin.paths() | scim.paths()
    document = {
        "openapi": "3.1.0",
        "info": {
            "title": "Trivium",
            "version": VERSION,
            "summary": "A model gateway.",
            "description": _ABOUT,
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
            "x-software-version": __version__,
        },
        "servers": [{"url": (public_url or "").rstrip("/") or "/"}],
        "tags": [{"name": name, "description": about} for name, about in _TAGS.items()]
        + [{"name": part.TAG, "description": part.ABOUT} for part in (oauth, admin, scim)],
        "paths": paths,
        "components": {
            "schemas": _schemas(),
            "responses": {name: _failure(about) for name, about in _FAILURES.values()},
            "parameters": _PARAMETERS | oauth.PARAMETERS | admin.PARAMETERS | scim.PARAMETERS,
            "securitySchemes": _SECURITY | oauth.SECURITY | admin.SECURITY | scim.SECURITY,
        },
    }
    return msgspec.json.encode(document)


def _schemas() -> dict[str, Schema]:
    out = schemas('Description = object "An OpenAPI document."')
    for module in (shared, *SHAPES.values(), clouds, oauth, admin, scim):
        components = {name: it for name, it in module.SCHEMAS.items() if name[0].isupper()}
        twice = out.keys() & components.keys()
        assert not twice, f"described twice: {twice}"
        out.update(components)
    return dict(sorted(out.items()))


def _operation(row: OperationRow) -> Schema:
    return described(row, {"200": _success(row), **_parts(row), **_failures(row)})


def _success(row: OperationRow) -> Schema:
    content: Schema = {}
    if row.answer:
        answer = one_of(row.answer)
        content = media({"type": "array", "items": answer} if row.stream_only else answer)
    for kind in row.files:
        is_text = kind in ("text/plain", "application/json")
        content[kind] = {"schema": schema("text" if is_text else "text(format 'binary')")}
    if row.event is not None:
        # each event's data is this JSON; OpenAPI 3.1 has no word for a stream of them
        kind = EVENT_STREAM if row.tag == Shape.CONVERSE.value else "text/event-stream"
        content[kind] = {"schema": ref(row.event)}
    return {"description": "The answer.", "headers": _ids(), "content": content}


def _parts(row: OperationRow) -> Schema:
    """Answers to who asks for a part of a file, or has it."""
    out: Schema = {}
    if row.ranges:
        told = _ids() | {
            "content-range": {"schema": {"type": "string"}, "description": "Which, of how many."}
        }
        out["206"] = {**_success(row), "description": "The part asked for.", "headers": told}
        out["416"] = {**_failure("The range lies outside of the file."), "headers": told}
    if row.known:
        out["304"] = {"description": "The file is as its `etag` in `if-none-match`."}
    return out


def _failures(row: OperationRow) -> Schema:
    if row.name == "getReadiness":
        return {"503": {"description": "Something is missing.", "content": media(ref("Readiness"))}}
    wanted = set(_FAILURES) if row.keys else set(row.failures)
    if row.request is None and row.form is None:
        wanted -= _OF_BODIES
    return {
        status: {"$ref": f"#/components/responses/{name}"}
        for status, (name, _) in _FAILURES.items()
        if status in wanted
    }


def _failure(about: str) -> Schema:
    return {"description": about, "headers": _ids(), "content": media(ref("GatewayError"))}


def _ids() -> Schema:
    return {
        name: {"schema": {"type": "string"}, "description": "The request's id."}
        for name in ("x-request-id", "request-id")
    }
