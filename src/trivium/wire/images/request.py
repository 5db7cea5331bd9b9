"""What an images request asks for, whichever way it was written: as JSON, or as a form.

Only what holds for every model is checked here: types, numbers and the words there are. What one
class of models takes is in ``rules.py``. Source: the service specification, "Image generation
request"; for edits and variations OpenAI's OpenAPI document of 2026-08-21.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from trivium.wire.checks import missing, mistyped, wrong
from trivium.wire.passage import RequestFacts
from trivium.wire.peek import Members

_WHOLE: Final = re.compile(r"-?[0-9]{1,18}")
IMAGES_MAX: Final = 10
"""Of one request."""
PARTIAL_MAX: Final = 3

WORDS: Final[Mapping[str, tuple[str, ...]]] = {
    "quality": ("auto", "low", "medium", "high", "standard", "hd"),
    "response_format": ("url", "b64_json"),
    "output_format": ("png", "jpeg", "webp"),
    "moderation": ("low", "auto"),
    "background": ("transparent", "opaque", "auto"),
    "style": ("vivid", "natural"),
    "input_fidelity": ("high", "low"),
}
"""Every word there is for each member, of all classes together."""

OWN: Final = frozenset(
    {*WORDS, "prompt", "model", "n", "size", "user", "stream", "partial_images",
     "output_compression"}
)  # fmt: skip
"""Members that mean something here; all others travel to an upstream of the same shape."""


class ImageRequest(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One request. ``None``: absent or null, which is the same."""

    prompt: str | None = None
    model: str | None = None
    n: int | None = None
    quality: str | None = None
    response_format: str | None = None
    output_format: str | None = None
    output_compression: int | None = None
    stream: bool | None = None
    partial_images: int | None = None
    size: str | None = None
    moderation: str | None = None
    background: str | None = None
    style: str | None = None
    input_fidelity: str | None = None
    user: str | None = None

    @property
    def is_for_gpt(self) -> bool:
        """Whether it uses what GPT image models alone have: then it means one of them."""
        return (
            bool(self.stream)
            or self.quality in ("low", "medium", "high")
            or any(
                member is not None
                for member in (
                    self.output_format,
                    self.output_compression,
                    self.partial_images,
                    self.moderation,
                    self.background,
                    self.input_fidelity,
                )
            )
        )

    def facts(self) -> RequestFacts:
        """What is decided by; the model is empty where it is left to the default."""
        return RequestFacts(
            model=self.model or "",
            stream=bool(self.stream),
            choices=self.n or 1,
            size="" if self.size in (None, "auto") else str(self.size),
            quality="" if self.quality in (None, "auto") else str(self.quality),
        )


def read(body: Members, *, prompt: bool = True, words: bool = True) -> ImageRequest:
    """The wish of a JSON body. ``prompt``: whether there must be one; ``words``: whether a word
    that is none of ``WORDS`` is an error. Raises ``Fault`` naming the member.
    """
    model = body.string("model")
    if model is not None and not model:
        raise wrong("model", "not be empty")
    wanted = ImageRequest(
        prompt=body.string("prompt"),
        model=model,
        n=body.integer("n"),
        output_compression=body.integer("output_compression"),
        stream=body.flag("stream") if body.raw("stream") is not None else None,
        partial_images=body.integer("partial_images"),
        size=body.string("size"),
        user=body.string("user"),
        **{name: body.string(name) for name in WORDS},
    )
    return checked(wanted, prompt=prompt, words=words)


def of_fields(
    fields: Mapping[str, str], *, prompt: bool = True, words: bool = True
) -> ImageRequest:
    """The wish of a form's text fields. Empty fields are absent. Raises ``Fault``."""
    given = {name: value for name, value in fields.items() if name in OWN and value != ""}
    values: dict[str, Any] = dict(given)
    for name in ("n", "output_compression", "partial_images"):
        if name in given:
            values[name] = _integer(name, given[name])
    if "stream" in given:
        values["stream"] = _flag("stream", given["stream"])
    return checked(ImageRequest(**values), prompt=prompt, words=words)


def checked(wanted: ImageRequest, *, prompt: bool = True, words: bool = True) -> ImageRequest:
    """The same, after what holds for every model. Raises ``Fault``."""
    if prompt and wanted.prompt is None:
        raise missing("prompt")
    between("n", wanted.n, 1, IMAGES_MAX)
    between("output_compression", wanted.output_compression, 0, 100)
    between("partial_images", wanted.partial_images, 0, PARTIAL_MAX)
    if words:
        for name, known in WORDS.items():
            value = getattr(wanted, name)
            if value is not None and value not in known:
                raise wrong(name, f"be one of {', '.join(known)}, not {value[:40]!r}")
    return wanted


def between(name: str, value: int | None, low: int, high: int) -> None:
    """Check a number with both bounds. Raises INVALID_VALUE."""
    if value is not None and not low <= value <= high:
        raise wrong(name, f"be from {low} to {high}, not {value}")


def _integer(name: str, text: str) -> int:
    if not _WHOLE.fullmatch(text.strip()):
        raise mistyped(name, "be a whole number")
    return int(text)


def _flag(name: str, text: str) -> bool:
    low = text.strip().lower()
    if low not in ("true", "false"):
        raise mistyped(name, "be true or false")
    return low == "true"
