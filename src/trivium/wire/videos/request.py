"""What a request for a video says: JSON or a form, read into one value and checked.

Members that are not of this shape are refused by name rather than passed on: an upstream may take
one for more frames, more pixels or more videos than the caller is charged for.

Source: openai-python 3.52.0 and OpenAI's OpenAPI document of 2026-08-21, read 2026-11-21.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

import msgspec

from trivium.faults import Fault, Kind
from trivium.wire.checks import PICTURE_ADDRESS, missing, mistyped, uncarried, wrong
from trivium.wire.multipart import Limits, Part
from trivium.wire.peek import Members

MODEL: Final = "sora-2"
"""Where none is named."""
PROMPT_MAX: Final = 32_000
"""Characters."""
SECONDS: Final = (4, 8, 12)
SIZES: Final = ("720x1280", "1280x720", "1024x1792", "1792x1024")
URL_MAX: Final = 20_971_520
"""Characters of an ``image_url``, which may hold the picture itself."""
FORM: Final = Limits(parts=20, fields_bytes=URL_MAX + 262_144)
"""What a form may hold: an ``image_url`` travels as a text field."""

_REFERENCE: Final = "input_reference"
_UNKNOWN: Final = "application/octet-stream"
_URL: Final = f"{_REFERENCE}.image_url"
_FILE_ID: Final = f"{_REFERENCE}.file_id"
_CREATE: Final = frozenset({"model", "prompt", "seconds", "size", _REFERENCE})
_REMIX: Final = frozenset({"prompt"})
_NESTED: Final = re.compile(r"input_reference(?:\[(image_url|file_id)\]|\.(image_url|file_id))")
_FIRST: Final = re.compile(r"\[0?\]$")


class Reference(msgspec.Struct, frozen=True, kw_only=True):
    """A picture or clip that guides a video. Exactly one of the two is there."""

    url: str = ""
    """``https:`` or ``data:``; empty: it is a file."""
    part: Part | None = None


class VideoRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A video to be made."""

    model: str
    prompt: str
    seconds: int
    size: str
    """``1280x720``."""
    reference: Reference | None = None


def read(members: Members, sizes: Iterable[str] = ()) -> VideoRequest:
    """A JSON body. ``sizes`` that may be asked for beside the usual. Raises ``Fault``."""
    given = {name: members.value(name) for name in _known(_named(members), _CREATE)}
    return _asked({name: value for name, value in given.items() if value is not None}, sizes)


def read_form(parts: Iterable[Part], sizes: Iterable[str] = ()) -> VideoRequest:
    """A form. Raises ``Fault``."""
    return _asked(_fields(parts, _CREATE), sizes)


def read_remix(members: Members) -> str:
    """The prompt of a remix. Raises ``Fault``."""
    _known(_named(members), _REMIX)
    return _prompt(members.value("prompt"))


def read_remix_form(parts: Iterable[Part]) -> str:
    """The prompt of a remix that came as a form. Raises ``Fault``."""
    return _prompt(_fields(parts, _REMIX).get("prompt"))


def model_of(members: Members | None, parts: Iterable[Part]) -> str:
    """The model asked for, before anything else is read. Raises ``Fault``."""
    given = _fields(parts, None).get("model") if members is None else members.string("model")
    return given if isinstance(given, str) and given else MODEL


def _named(members: Members) -> list[str]:
    return [name for name, raw in members.pairs if bytes(raw) != b"null"]


def _known(names: Iterable[str], known: frozenset[str]) -> frozenset[str]:
    for name in names:
        if name not in known and name.casefold() not in known:
            raise _unknown(name)
    return known


def _unknown(name: str) -> Fault:
    return Fault(
        Kind.UNREPRESENTABLE,
        f"`{name[:100]}` is not a parameter of videos here. It would not be known what it costs.",
        param=name[:100],
        code="unknown_parameter",
    )


def _fields(parts: Iterable[Part], known: frozenset[str] | None) -> dict[str, Any]:
    """A form's fields by member; what occurs twice is refused."""
    found: dict[str, Any] = {}
    for part in parts:
        name = _FIRST.sub("", part.name)
        nested = _NESTED.fullmatch(name)
        if nested:
            name = _URL if nested[1] == "image_url" or nested[2] == "image_url" else _FILE_ID
        if known is not None and name.partition(".")[0] not in known:
            raise _unknown(part.name)
        if name in found:
            raise Fault(
                Kind.DUPLICATE_MEMBER, f"`{name}` occurs twice in the form.", param=part.name
            )
        if part.is_file and name != _REFERENCE:
            raise mistyped(name, "be text, not a file")
        found[name] = part if part.is_file else _text(part)
    return _joined(found)


def _text(part: Part) -> str:
    try:
        return part.value.decode()
    except UnicodeDecodeError:
        raise wrong(part.name, "be text in UTF-8") from None


def _joined(found: dict[str, Any]) -> dict[str, Any]:
    """References of whatever spelling under one name: a file, or an object."""
    nested = {name: found.pop(name) for name in (_URL, _FILE_ID) if name in found}
    given = found.get(_REFERENCE)
    if nested and given is not None:
        raise _several()
    if nested:
        found[_REFERENCE] = {name.partition(".")[2]: value for name, value in nested.items()}
    elif isinstance(given, str):
        try:
            found[_REFERENCE] = msgspec.json.decode(given)
        except (ValueError, RecursionError):
            raise wrong(_REFERENCE, "be a file, or an object in JSON") from None
    return found


def _asked(given: Mapping[str, Any], sizes: Iterable[str]) -> VideoRequest:
    model = given.get("model", MODEL)
    if not isinstance(model, str) or not model:
        raise mistyped("model", "be a model's name")
    return VideoRequest(
        model=model,
        prompt=_prompt(given.get("prompt")),
        seconds=_seconds(given.get("seconds", SECONDS[0])),
        size=_size(given.get("size", SIZES[0]), (*SIZES, *sizes)),
        reference=_reference(given.get(_REFERENCE)),
    )


def _prompt(value: object) -> str:
    if value is None:
        raise missing("prompt")
    if not isinstance(value, str):
        raise mistyped("prompt", "be a string")
    if not 1 <= len(value) <= PROMPT_MAX:
        raise wrong("prompt", f"have 1 to {PROMPT_MAX} characters, not {len(value)}")
    return value


def _seconds(value: object) -> int:
    """A number, or one in quotes as the SDKs write it."""
    for seconds in SECONDS:
        if value == str(seconds) or (value == seconds and not isinstance(value, bool)):
            return seconds
    raise wrong("seconds", f"be one of {', '.join(map(str, SECONDS))}")


def _size(value: object, allowed: tuple[str, ...]) -> str:
    if isinstance(value, str) and value in allowed:
        return value
    raise wrong("size", f"be one of {', '.join(dict.fromkeys(allowed))}")


def _reference(value: object) -> Reference | None:
    if value is None:
        return None
    if isinstance(value, Part):
        return _file(value)
    if not isinstance(value, dict):
        raise mistyped(_REFERENCE, "be a file, or an object with `image_url`")
    given = {name: inner for name, inner in value.items() if inner is not None}
    for name in given:
        if name not in ("image_url", "file_id"):
            raise _unknown(f"{_REFERENCE}.{name}")
    if len(given) != 1:
        raise _several()
    if "file_id" in given:
        raise uncarried(
            _FILE_ID,
            f"`{_FILE_ID}` names a file of the upstream's account, which all callers share: send "
            "the file itself, or an `image_url`.",
        )
    url = given["image_url"]
    if not isinstance(url, str) or not PICTURE_ADDRESS.match(url):
        raise wrong(_URL, "be an https address or a `data:image/…;base64,` one")
    if len(url) > URL_MAX:
        raise wrong(_URL, f"have at most {URL_MAX} characters")
    return Reference(url=url)


def _file(part: Part) -> Reference:
    if not part.size:
        raise wrong(_REFERENCE, "not be an empty file")
    kind = part.content_type.partition(";")[0].strip().lower()
    if kind and kind != _UNKNOWN and not kind.startswith(("image/", "video/")):
        raise wrong(_REFERENCE, f"be a picture or a video, not {kind[:100]}")
    return Reference(part=part)


def _several() -> Fault:
    return wrong(_REFERENCE, "be exactly one of a file, `image_url` and `file_id`")
