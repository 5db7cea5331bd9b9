"""A generate-content request as Vertex AI takes it, where that differs from the Gemini API.

* Every content names its role there, ``user`` or ``model``: a missing one is the user's to the
  Gemini API, and so are ``function`` and ``tool``, as older clients write results of functions.
* A count has the members of the request itself, and no ``generateContentRequest`` around them.
* A text to be embedded is asked about without ``model``, which is the address's.

Members that only one of the two takes (``labels`` there, ``store``, file search and calls of the
vendor's own tools here) are left as they came: the vendor's refusal names them.

Sources: google-genai 3.3.0 (``models.py``: what ``_to_vertex`` refuses and writes), the reference
of ``publishers.models.generateContent`` and ``countTokens``, read 2026-11-28.
"""

from typing import Any, Final

import msgspec

from trivium.faults import Fault
from trivium.wire import json_size
from trivium.wire.operation import Operation
from trivium.wire.peek import Members, members

ROLE: Final = "contents[].role"
WRAPPER: Final = "generateContentRequest"
"""What may differ, as callers are told of it."""
_WRAPPERS: Final = (WRAPPER, "generate_content_request")
_COUNTED: Final = (
    "contents", "systemInstruction", "system_instruction", "tools", "generationConfig",
    "generation_config",
)  # fmt: skip
"""Members that a count has there."""
_CONTENTS: Final = "contents"
_USER: Final = b'"user"'
_KNOWN: Final = frozenset({"user", "model"})
MENDED_MAX: Final = 1_000
"""Contents that are given a role; a conversation has a tenth of them. Where more lack it, or a body
holds more than ``_OBJECTS_MAX`` of objects, it is left to the vendor: others wait meanwhile. Braces
in texts count for objects where a body is large."""
_OBJECTS_MAX: Final = 20_000


class _Spoken(msgspec.Struct, gc=False):
    role: Any = None


_elements: Final = msgspec.json.Decoder(list[msgspec.Raw]).decode
_spoken: Final = msgspec.json.Decoder(list[_Spoken]).decode
_role: Final = msgspec.json.Decoder(str).decode


def changes(operation: Operation, body: Members) -> tuple[dict[str, bytes | None], list[str]]:
    """(members to be replaced, what was repaired); both empty where nothing differs.

    The caller's mistakes are left to the vendor, which says what they are.
    """
    if operation is Operation.GENERATE_COUNT:
        for spelled in _WRAPPERS:
            inner = _inside(body, spelled)
            if inner is not None:
                return _unwrapped(spelled, inner)
    if operation is Operation.GENERATE_EMBED:
        return _embedded(body)
    named = _named(body)
    return ({}, []) if named is None else ({_CONTENTS: named}, [ROLE])


def counted(body: bytes) -> bytes:
    """The same of a count that was written here."""
    changed, _ = changes(Operation.GENERATE_COUNT, found := members(body))
    return found.splice(changed) if changed else body


def _embedded(body: Members) -> tuple[dict[str, bytes | None], list[str]]:
    out: dict[str, bytes | None] = {"model": None} if "model" in body else {}
    content = body.raw("content")
    named = None if content is None else _with_role(content)
    if named is None:
        return out, []
    return {**out, "content": named}, ["content.role"]


def _unwrapped(spelled: str, inner: Members) -> tuple[dict[str, bytes | None], list[str]]:
    out: dict[str, bytes | None] = {spelled: None}
    repaired = [WRAPPER]
    for name in _COUNTED:
        raw = inner.raw(name)
        if raw is not None:
            out[name] = raw
    named = _named(inner)
    if named is not None:
        out[_CONTENTS] = named
        repaired.append(ROLE)
    return out, repaired


def _inside(body: Members, name: str) -> Members | None:
    raw = body.raw(name)
    return members(raw) if raw is not None and raw.startswith(b"{") else None


def _named(body: Members) -> bytes | None:
    """The contents with a role in each; ``None``: they have it, or are none."""
    raw = body.raw(_CONTENTS)
    if raw is None:
        return None
    if raw.startswith(b"{"):
        return _with_role(raw)
    if raw.count(b"{") > _OBJECTS_MAX and (
        len(raw) > json_size.PACED_BYTES or json_size.exceeds(raw, _OBJECTS_MAX)
    ):
        return None
    try:
        lacking = [at for at, one in enumerate(_spoken(raw)) if not _is_role(one.role)]
        if not lacking or len(lacking) > MENDED_MAX:
            return None
        out = [bytes(element) for element in _elements(raw)]
    except (msgspec.DecodeError, RecursionError):
        return None
    changed = False
    for at in lacking:
        named = _with_role(out[at])
        if named is not None:
            out[at] = named
            changed = True
    return b"[" + b",".join(out) + b"]" if changed else None


def _is_role(role: Any) -> bool:
    return isinstance(role, str) and role in _KNOWN


def _with_role(content: bytes) -> bytes | None:
    """A content with its role; ``None``: it has one, or is none."""
    if not content.startswith(b"{"):
        return None
    try:
        found = members(content)
        role = found.raw("role")
        if role is not None and _role(role) in _KNOWN:
            return None
        return found.splice({"role": _USER})
    except (Fault, msgspec.DecodeError):
        return None
