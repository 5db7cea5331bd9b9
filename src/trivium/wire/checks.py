"""Checks of request members that the specification limits, read through loose views.

A view is a msgspec struct that lists only what is checked; everything else is skimmed, so a
member of any size costs little and unknown parts of it are not our business. What a view refuses
becomes a fault with the member's path and what would be right, e.g. ``tools[2].function.name``.
"""

import re
from typing import Any, Final

import msgspec

from trivium.faults import Fault, Kind

PICTURE_ADDRESS: Final = re.compile(
    r"https?://|data:image/[a-z0-9.+-]{1,40};base64,", re.IGNORECASE
)
"""How the address of a picture begins, or the picture itself in its place."""

_LONG_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,128}")


_PATH_MAX: Final = 256

_NAME_RULE: Final = (
    "have 1 to {} characters, each a letter (A-Z, a-z), a digit, an underscore or a dash"
)

_AT: Final = " - at `$"
_REQUIRED: Final = re.compile(r"Object missing required field `([^`]+)`")
_TYPE: Final = re.compile(r"Expected `([^`]+)`, got `([^`]+)`")
_PATTERN: Final = re.compile(r"matching regex '\^\[A-Za-z0-9_-\]\{1,(\d+)\}")

_CHOICE: Final = re.compile(r"matching regex '\^\(\?:([a-z_|]+)\)")

_WORDS: Final = {
    "str": "a string",
    "int": "a number",
    "float": "a number",
    "bool": "a boolean",
    "array": "an array",
    "object": "an object",
    "null": "null",
}


def check(decoder: msgspec.json.Decoder[Any], raw: bytes | msgspec.Raw, member: str) -> Any:
    """The view of ``raw``, the value of ``member``.

    Raises MISSING_MEMBER, INVALID_TYPE, INVALID_VALUE or MALFORMED_JSON, naming the place.
    """
    try:
        return decoder.decode(raw)
    except msgspec.ValidationError as exc:
        raise _explain(str(exc), member) from None
    except (ValueError, RecursionError):  # msgspec's own and UnicodeDecodeError are ValueErrors
        raise Fault(Kind.MALFORMED_JSON, f"`{member}` is not valid JSON.", param=member) from None


def below(path: str, name: str) -> str:
    """The path of a member whose name, and those above it, may be the caller's own.

    No longer than a few hundred characters: with every level and every neighbour of a long one the
    whole of it would be copied again.
    """
    return path if len(path) > _PATH_MAX else f"{path}.{name[:_PATH_MAX]}"


def missing(path: str) -> Fault:
    """The fault for a required member that is absent or null."""
    return Fault(Kind.MISSING_MEMBER, f"`{path}` is required.", param=path)


def wrong(path: str, rule: str) -> Fault:
    """The fault for a value outside its range; ``rule`` continues "`path` must ..."."""
    return Fault(Kind.INVALID_VALUE, f"`{path}` must {rule}.", param=path)


def mistyped(path: str, rule: str) -> Fault:
    """The fault for a value of another type; ``rule`` continues "`path` must ..."."""
    return Fault(Kind.INVALID_TYPE, f"`{path}` must {rule}.", param=path)


def uncarried(path: str, message: str) -> Fault:
    """The fault for a member that no upstream here can be asked for, with a message of its own."""
    return Fault(Kind.UNREPRESENTABLE, message, param=path)


def spelled_twice(name: str, other: str, path: str) -> Fault:
    """The fault for two spellings of one member, of which ``path`` has the other."""
    text = f"`{name}` and `{other}` are one member: send only one of them."
    return Fault(Kind.DUPLICATE_MEMBER, text, param=path)


def require_long_name(name: str | None, path: str) -> None:
    """Check a function's name on the responses shape, which allows 128 characters.

    Source: OpenAI's OpenAPI document of 2026-08-21, ``FunctionToolParam``.
    """
    if name is None:
        raise missing(path)
    if not _LONG_NAME.fullmatch(name):
        raise wrong(path, _NAME_RULE.format(128))


def _explain(text: str, member: str) -> Fault:
    """A fault from msgspec's message, whose forms a table in the tests pins down."""
    path = member
    words, at, place = text.rpartition(_AT)
    if at and place.endswith("`"):
        path += place[:-1]
        text = words
    if required := _REQUIRED.search(text):
        return missing(f"{path}.{required[1]}")
    if pattern := _PATTERN.search(text):
        return wrong(path, _NAME_RULE.format(pattern[1]))
    if choice := _CHOICE.search(text):
        return wrong(path, f"be one of {choice[1].replace('|', ', ')}")
    if types := _TYPE.search(text):
        wanted = " or ".join(_WORDS.get(word, word) for word in types[1].split(" | "))
        if types[2] == "null":
            return missing(path)
        got = _WORDS.get(types[2], types[2])
        return mistyped(path, f"be {wanted}, not {got}")
    return Fault(Kind.INVALID_VALUE, f"`{path}` is not acceptable: {text}.", param=path)
