"""What is said of one operation in the description, and the notation it is written in."""

import re
from typing import Any, Final

import msgspec

from trivium.edge.openapi.schema import Schema, media, ref

BEARER: Final = ("gatewayBearer",)
MESSAGES: Final = ("gatewayMessagesKey", "gatewayBearer")
GENERATE: Final = ("gatewayGenerateKey", "gatewayGenerateQuery")
ANY: Final = (*BEARER, "gatewayMessagesKey", *GENERATE, "gatewayDeploymentKey")


class OperationRow(msgspec.Struct, frozen=True, kw_only=True):
    """What the document says of one operation."""

    method: str
    path: str
    name: str
    """``operationId``."""
    tag: str
    about: str
    request: str | None = None
    """Component of the JSON body."""
    form: str | None = None
    """Component of the form that is taken, beside or instead of a JSON body."""
    answer: tuple[str, ...] = ()
    """Components of which the 200 answer in JSON is one; empty: there is none."""
    files: tuple[str, ...] = ()
    """Content types of answers that are not JSON."""
    event: str | None = None
    """Component of one event of the streamed answer; ``None``: it never streams."""
    stream_only: bool = False
    """Whether every answer is a stream: of events, or of one JSON array."""
    failures: tuple[str, ...] = ()
    """Statuses it fails with where no key is asked for, else those that all operations have; of the
    OAuth service the name of a list of its own."""
    ranges: bool = False
    """Whether a part of the file may be asked for."""
    known: bool = False
    """Whether a file that the client has already is not sent again."""
    keys: tuple[str, ...] = ()
    """Ways to present a key, any one of which does; empty: none is asked for."""
    parameters: tuple[str, ...] = ()
    """Components of parameters."""


_KEYS: Final = {
    "any": ANY,
    "none": (),
    "messages": MESSAGES,
    "generate": GENERATE,
    "models": ANY,
    "gateway": (),
    "admin": ("adminBearer",),
    "scim": ("scimBearer",),
}
"""Ways to present a key by tag, and by name; all other tags' clients send it as a bearer."""
_WHOLE: Final = ("tag", "request", "form", "event")
"""Members that are one word."""


def operations(text: str) -> tuple[OperationRow, ...]:
    """The rows of a text: ``POST /v1/x createX "What it does." request=X answer=Y|Z ranges``.

    The first line is the tag. A row begins at the margin. Several words of one member have ``|``
    between them, or the member again; one without a word is true.
    """
    tag, *rows = re.split(r"\n(?=\S)", text.strip())
    return tuple(_row(tag, row) for row in rows)


def _row(tag: str, text: str) -> OperationRow:
    head, about, rest = text.split('"')
    method, path, name = head.split()
    given: dict[str, Any] = {"tag": tag}
    for word in rest.split():
        member, _, value = word.partition("=")
        if value and member not in _WHOLE:
            given[member] = (*given.get(member, ()), *value.split("|"))
        else:
            given[member] = value or True
    (keys,) = given.get("keys", (given["tag"],))
    given["keys"] = _KEYS.get(keys, BEARER if keys == given["tag"] else (keys,))
    about = " ".join(about.split())
    return OperationRow(method=method, path=path, name=name, about=about, **given)


def described(row: OperationRow, responses: Schema, form: str = "multipart/form-data") -> Schema:
    """An operation with its responses. ``form``: how forms are sent."""
    out: Schema = {
        "operationId": row.name,
        "tags": [row.tag],
        "summary": row.about,
        "responses": responses,
        "security": [{key: []} for key in row.keys],
    }
    if row.parameters:
        out["parameters"] = [{"$ref": f"#/components/parameters/{name}"} for name in row.parameters]
    taken = media(ref(row.request)) if row.request else {}
    if row.form is not None:
        taken |= media(ref(row.form), form)
    return {**out, "requestBody": {"required": True, "content": taken}} if taken else out
