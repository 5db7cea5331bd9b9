"""A form read as members: its text fields as JSON strings, so that one set of rules serves both.

Clients write lists as ``name[]`` or ``name[0]`` and objects as ``name[key]`` (the official SDKs do,
run 2026-11-21): the members are named without brackets. The parts themselves stay as they came and
go on to an upstream by their own names.
"""

import contextlib
import math
import re
from collections.abc import Sequence
from typing import Any, Final

import msgspec

from trivium.faults import Fault, Kind
from trivium.wire.checks import missing, mistyped
from trivium.wire.member_name import MemberName
from trivium.wire.multipart import Part
from trivium.wire.peek import Members

_NAME: Final = re.compile(r"([^\[\]]+)(?:\[([^\[\]]*)\])?")
_TEXTS: Final = frozenset({"model", "stream", "response_format", "n", "size", "quality", "seconds"})
"""Fields that decide who answers, what it costs and how it is read."""
_encode = msgspec.json.Encoder().encode


class FormMembers(Members):
    """The members of a form, and its files."""

    __slots__ = ("length", "parts")

    def __init__(self, parts: Sequence[Part]) -> None:
        """Raises ``Fault``: MALFORMED_FORM, DUPLICATE_MEMBER, INVALID_TYPE."""
        self.parts = tuple(parts)
        self.length: tuple[float, bool] | None = None
        """Seconds of its recording, and whether they are an estimate; ``None``: not measured."""
        super().__init__(_pairs(self.parts))

    def files(self, name: str) -> list[Part]:
        """The files of one name, in order, bracketed or not."""
        return [part for part in self.parts if part.is_file and base(part.name) == name]

    def file(self, name: str) -> Part:
        """The one file of a name. Raises MISSING_MEMBER, DUPLICATE_MEMBER, INVALID_VALUE."""
        found = self.files(name)
        if not found:
            if name in self:
                raise mistyped(name, "be a file: a part with a `filename`, not a text field")
            raise missing(name)
        if len(found) > 1:
            raise Fault(Kind.DUPLICATE_MEMBER, f"The form has more than one `{name}`.", param=name)
        if not found[0].size:
            raise Fault(Kind.INVALID_VALUE, f"`{name}` is an empty file.", param=name)
        return found[0]


def form_of(body: Members, path: str) -> FormMembers:
    """The members as those of a form. Raises MEDIA_TYPE for any other body."""
    if isinstance(body, FormMembers):
        return body
    raise no_form(path)


def no_form(path: str) -> Fault:
    """The refusal of a body that is no form."""
    return Fault(
        Kind.MEDIA_TYPE,
        f"{path} takes a form: send multipart/form-data, with the file as a part of it.",
    )


def base(name: str) -> str:
    """A part's name without its brackets."""
    found = _NAME.fullmatch(name)
    return found[1] if found else name


def number(body: Members, name: str) -> float | None:
    """A number, which a form writes as text; ``None`` when absent or empty. Raises INVALID_TYPE."""
    value = body.value(name)
    if value is None or value == "":
        return None
    if isinstance(value, str):
        try:
            value = msgspec.convert(value, float, strict=False)
        except msgspec.ValidationError:
            value = None
    if isinstance(value, int | float) and not isinstance(value, bool):
        with contextlib.suppress(OverflowError):  # a whole number of hundreds of digits
            if not math.isnan(found := float(value)):
                return found
    raise mistyped(name, "be a number")


def flag(body: Members, name: str) -> bool:
    """A boolean, which a form writes as text; ``False`` when absent. Raises INVALID_TYPE."""
    value = body.value(name)
    said = value.lower() if isinstance(value, str) else value
    if said in (None, "", "false", "0", False):
        return False
    if said in ("true", "1", True):
        return True
    raise mistyped(name, "be true or false")


def texts(body: Members, name: str) -> list[str]:
    """A list of texts, of which a form may write a single one bare; empty when absent.

    Raises INVALID_TYPE.
    """
    value = body.value(name)
    if value is None:
        return []
    if isinstance(value, str):
        return [value]
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return value
    raise mistyped(name, "be a list of texts")


def _pairs(parts: Sequence[Part]) -> dict[MemberName, msgspec.Raw]:
    """Members in order. A name that comes twice without brackets stays twice."""
    found: list[tuple[str, Any]] = []
    lists: dict[str, list[str]] = {}
    objects: dict[str, dict[str, str]] = {}
    for part in parts:
        if part.is_file:
            if (named := base(part.name)) in _TEXTS:
                raise mistyped(named, "be text, not a file")
            continue
        try:
            text = part.value.decode()
        except UnicodeDecodeError:
            raise Fault(
                Kind.MALFORMED_FORM, f"`{part.name}` is not UTF-8.", param=part.name
            ) from None
        match = _NAME.fullmatch(part.name)
        name, inner = (match[1], match[2]) if match else (part.name, None)
        if inner is None:
            found.append((name, text))
        elif not inner or inner.isdigit():
            if name not in lists:
                found.append((name, lists.setdefault(name, [])))
            lists[name].append(text)
        else:
            if name not in objects:
                found.append((name, objects.setdefault(name, {})))
            if inner in objects[name]:
                raise Fault(
                    Kind.DUPLICATE_MEMBER, f"`{part.name}` occurs twice in the form.", param=name
                )
            objects[name][inner] = text
    return {MemberName(name): msgspec.Raw(_encode(value)) for name, value in found}
