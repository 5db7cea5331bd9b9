"""What each class of image models takes: the specification's table as data, and one check.

Which model is of which class is not here (``providers/images.toml``, the settings). A model without
a class is held to what holds for all (``request.py``), and the upstream decides the rest.
"""

import re
from collections.abc import Mapping
from enum import Enum, unique
from typing import Final

import msgspec

from trivium.faults import Fault
from trivium.wire.checks import uncarried, wrong
from trivium.wire.images.request import WORDS, ImageRequest
from trivium.wire.operation import Operation


@unique
class ImageClass(Enum):
    """A class of image models."""

    LEGACY_A = "legacy_a"
    LEGACY_B = "legacy_b"
    GPT = "gpt"
    GPT_SIZES = "gpt_sizes"  # GPT image models that take arbitrary sizes
    OPEN = "open"  # words of its own: types and numbers alone are checked


class ImageRules(msgspec.Struct, frozen=True, kw_only=True):
    """One column of the table."""

    title: str
    """For people, in refusals."""
    prompt_max: int
    """Characters."""
    n_max: int = 10
    words: Mapping[str, tuple[str, ...]]
    """Members with the words this class takes; a member that is not here it does not take."""
    sizes: tuple[str, ...]
    any_size: bool = False
    """Whether ``WIDTHxHEIGHT`` is taken beside them."""
    streams: bool = False
    """Whether it streams, with partial images, and compresses its output."""
    edits: bool = True
    varies: bool = False
    inputs_max: int = 16
    """Images of one edit."""
    input_bytes_max: int = 50_000_000
    """Of one image to edit."""


_GPT_WORDS: Final = {
    "quality": ("auto", "low", "medium", "high"),
    "output_format": WORDS["output_format"],
    "moderation": WORDS["moderation"],
    "background": WORDS["background"],
    "input_fidelity": WORDS["input_fidelity"],
}
_GPT_SIZES: Final = ("auto", "1024x1024", "1536x1024", "1024x1536")

RULES: Final[Mapping[ImageClass, ImageRules]] = {
    ImageClass.LEGACY_A: ImageRules(
        title="legacy image model A",
        prompt_max=1000,
        words={"quality": ("auto", "standard"), "response_format": WORDS["response_format"]},
        sizes=("256x256", "512x512", "1024x1024"),
        varies=True,
        inputs_max=1,
        input_bytes_max=4_000_000,
    ),
    ImageClass.LEGACY_B: ImageRules(
        title="legacy image model B",
        prompt_max=4000,
        n_max=1,
        words={
            "quality": ("auto", "standard", "hd"),
            "response_format": WORDS["response_format"],
            "style": WORDS["style"],
        },
        sizes=("1024x1024", "1792x1024", "1024x1792"),
        edits=False,
    ),
    ImageClass.GPT: ImageRules(
        title="a GPT image model",
        prompt_max=32_000,
        words=_GPT_WORDS,
        sizes=_GPT_SIZES,
        streams=True,
    ),
    ImageClass.GPT_SIZES: ImageRules(
        title="a GPT image model",
        prompt_max=32_000,
        words=_GPT_WORDS,
        sizes=_GPT_SIZES,
        any_size=True,
        streams=True,
    ),
}
"""The table of the specification, with quality, size and so on by class."""

LEGACY: Final = frozenset({ImageClass.LEGACY_A, ImageClass.LEGACY_B})

_SIZE: Final = re.compile(r"([1-9][0-9]{0,4})x([1-9][0-9]{0,4})")
_EDGE_MAX: Final = 3840
_PIXELS_MAX: Final = 3840 * 2160
_STEP: Final = 16
_RATIO_MAX: Final = 3


def check(wanted: ImageRequest, of: ImageClass | None, model: str, operation: Operation) -> None:
    """Hold a wish against what a model's class takes. Raises ``Fault`` naming member and values.

    ``None`` and ``OPEN``: nothing is known of the class.
    """
    if wanted.partial_images and not wanted.stream:
        raise wrong("partial_images", "stand beside `stream`: true, or be 0")
    rules = RULES.get(of) if of is not None else None
    if rules is None:
        return
    who = f"`{model[:200]}`, {rules.title}"
    _operation(rules, who, operation)
    if wanted.prompt is not None and len(wanted.prompt) > rules.prompt_max:
        raise wrong(
            "prompt",
            f"have at most {rules.prompt_max} characters for {who}; it has {len(wanted.prompt)}",
        )
    if wanted.n is not None and wanted.n > rules.n_max:
        allowed = "1" if rules.n_max == 1 else f"from 1 to {rules.n_max}"
        raise wrong("n", f"be {allowed} for {who}, not {wanted.n}")
    for name in WORDS:
        _word(wanted, name, rules, who)
    _streaming(wanted, rules, who)
    _size(wanted, rules, who)
    if wanted.background == "transparent" and wanted.output_format == "jpeg":
        raise wrong("background", "not be transparent with `output_format` jpeg: use png or webp")


def _operation(rules: ImageRules, who: str, operation: Operation) -> None:
    able = {Operation.IMAGES_EDIT: rules.edits, Operation.IMAGES_VARY: rules.varies}
    if not able.get(operation, True):
        what = "edit images" if operation is Operation.IMAGES_EDIT else "make variations"
        raise uncarried("model", f"{who}, does not {what}.")


def _word(wanted: ImageRequest, name: str, rules: ImageRules, who: str) -> None:
    value = getattr(wanted, name)
    if value is None:
        return
    allowed = rules.words.get(name)
    if allowed is not None:
        if value not in allowed:
            raise wrong(name, f"be one of {', '.join(allowed)} for {who}, not {value[:40]}")
        return
    if name == "response_format" and rules.streams:
        if value == "url":
            raise uncarried(
                name,
                f"`response_format` is not taken by {who}: it always answers with base64. "
                "Leave it out, or send b64_json.",
            )
        return  # what it does anyway; left out on the way, and told
    raise _not_taken(name, who)


def _streaming(wanted: ImageRequest, rules: ImageRules, who: str) -> None:
    if rules.streams:
        if wanted.output_compression is not None and wanted.output_format not in ("jpeg", "webp"):
            raise wrong("output_compression", "stand beside `output_format` jpeg or webp")
        return
    if wanted.stream:
        raise _not_taken("stream", who)
    for name in ("partial_images", "output_compression"):
        if getattr(wanted, name) is not None:
            raise _not_taken(name, who)


def _not_taken(name: str, who: str) -> Fault:
    takers = [rules for rules in RULES.values() if name in rules.words]
    titles = dict.fromkeys(one.title for one in takers) or {"GPT image models": None}
    told = ", ".join(titles).replace("a GPT image model", "GPT image models")
    return uncarried(name, f"`{name}` is not taken by {who}: leave it out. It is for {told}.")


def _size(wanted: ImageRequest, rules: ImageRules, who: str) -> None:
    size = wanted.size
    # the default is written as auto for all, so whoever writes it out means the default
    if size is None or size == "auto" or size in rules.sizes:
        return
    listed = ", ".join(rules.sizes)
    if not rules.any_size:
        raise wrong("size", f"be one of {listed} for {who}, not {size[:40]}")
    found = _SIZE.fullmatch(size)
    if found is None:
        raise wrong("size", f"be one of {listed}, or WIDTHxHEIGHT, for {who}, not {size[:40]}")
    width, height = int(found[1]), int(found[2])
    if width % _STEP or height % _STEP:
        raise wrong("size", f"have sides divisible by {_STEP} for {who}, which {size} has not")
    if width > _RATIO_MAX * height or height > _RATIO_MAX * width:
        raise wrong("size", f"have an aspect ratio from 1:3 to 3:1 for {who}, which {size} has not")
    if max(width, height) > _EDGE_MAX or width * height > _PIXELS_MAX:
        raise wrong("size", f"be at most 3840x2160 for {who}, not {size}")


def unsent(wanted: ImageRequest, of: ImageClass | None) -> tuple[str, ...]:
    """Members that a class does not know and that change nothing: they are not sent on."""
    rules = RULES.get(of) if of is not None else None
    if rules is None:
        return ()
    found = []
    if not rules.streams:
        found += [name for name in ("size", "quality") if getattr(wanted, name) == "auto"]
        if wanted.stream is False:
            found.append("stream")
    elif wanted.response_format is not None:
        found.append("response_format")
    return tuple(found)
