"""Edits and variations: pictures that come in, in a form or by reference, and the rules for them.

Source: OpenAI's OpenAPI document of 2026-08-21, ``CreateImageEditRequest``,
``EditImageBodyJsonParam``, ``CreateImageVariationRequest``.
"""

import re
from typing import Any, Final

import msgspec

from trivium.faults import Fault, Kind
from trivium.wire.checks import PICTURE_ADDRESS, missing, mistyped, uncarried, wrong
from trivium.wire.form import FormMembers, base, form_of
from trivium.wire.images.generate import SourceImage
from trivium.wire.images.request import OWN, ImageRequest, of_fields, read
from trivium.wire.images.rules import ImageRules
from trivium.wire.multipart import Part
from trivium.wire.operation import Operation
from trivium.wire.peek import Members

IMAGE: Final = "image"
MASK: Final = "mask"
INPUTS_MAX: Final = 16
"""Pictures of one edit, of a model of which nothing is known."""
MASK_BYTES_MAX: Final = 4_000_000

_DATA: Final = re.compile(r"data:(image/[a-z0-9.+-]{1,40});base64,([A-Za-z0-9+/_=-]+)")


def wish_of(body: Members, operation: Operation, *, words: bool = True) -> ImageRequest:
    """What is asked for, in a form or as JSON. Raises ``Fault`` naming the member."""
    prompt = operation is not Operation.IMAGES_VARY
    if operation is Operation.IMAGES or (prompt and not isinstance(body, FormMembers)):
        return read(body, words=words)
    form = form_of(body, "A variation")
    fields: dict[str, str] = {}
    for name in OWN:
        value = form.value(name)
        if isinstance(value, str):
            fields[name] = value
        elif value is not None:
            raise mistyped(name, "be one field of text")
    return of_fields(fields, prompt=prompt, words=words)


def check_pictures(body: Members, operation: Operation, rules: ImageRules | None, who: str) -> None:
    """Hold the pictures that come in against what a class takes. Raises ``Fault``.

    ``rules``: ``None`` for a model without a class; ``who`` names the model in refusals.
    """
    if not isinstance(body, FormMembers):
        _check_references(body, rules, who)
        return
    found = body.files(IMAGE)
    if operation is Operation.IMAGES_VARY or not found:
        found = [body.file(IMAGE)]
    most = INPUTS_MAX if rules is None else rules.inputs_max
    if len(found) > most:
        raise wrong(IMAGE, f"be at most {most} file{'s' * (most > 1)} for {who}, not {len(found)}")
    for part in found:
        if not part.size:
            raise wrong(part.name, "not be an empty file")
        if rules is not None and part.size > rules.input_bytes_max:
            raise _too_large(part, rules.input_bytes_max, who)
    if body.files(MASK):
        mask = body.file(MASK)
        if rules is not None and mask.size > MASK_BYTES_MAX:
            raise _too_large(mask, MASK_BYTES_MAX, who)


def _too_large(part: Part, most: int, who: str) -> Fault:
    return Fault(
        Kind.BODY_TOO_LARGE,
        f"`{part.name}` has {part.size} bytes; a picture may have {most} for {who}.",
        param=part.name,
    )


def references(body: Members) -> list[tuple[str, str, str]]:
    """Pictures that a JSON body names: where, ``image_url`` or ``file_id``, and which.

    Raises ``Fault`` naming the place.
    """
    rows = body.value("images")
    if rows is None:
        raise missing("images")
    if not isinstance(rows, list) or not rows:
        raise wrong("images", "be an array of objects with an `image_url` or a `file_id`")
    return [_reference(row, f"images[{at}]") for at, row in enumerate(rows)]


def _reference(row: Any, path: str) -> tuple[str, str, str]:
    kinds = [
        name
        for name in ("image_url", "file_id")
        if isinstance(row, dict) and isinstance(row.get(name), str)
    ]
    if len(kinds) != 1:
        raise wrong(path, "be an object with either an `image_url` or a `file_id`, a string")
    where, value = f"{path}.{kinds[0]}", row[kinds[0]]
    # whatever else an upstream may fetch lies within the operator's own house
    if kinds[0] == "image_url" and not PICTURE_ADDRESS.match(value):
        raise wrong(where, "be an http or https address, or a `data:image/…;base64,` one")
    return where, kinds[0], value


def _check_references(body: Members, rules: ImageRules | None, who: str) -> None:
    found = references(body)
    if rules is not None and not rules.streams:
        raise uncarried(
            "images",
            f"`images` is not taken by {who}: send multipart/form-data with a file `image`.",
        )
    mask = body.value(MASK)
    if mask is not None:
        _reference(mask, MASK)
    if len(found) > INPUTS_MAX:
        raise wrong("images", f"have at most {INPUTS_MAX} rows, not {len(found)}")


def inline(body: Members) -> tuple[SourceImage, ...]:
    """The pictures of a JSON body as bytes, for an upstream that takes nothing else.

    Raises ``Fault`` (UNREPRESENTABLE) for one that is not in the body.
    """
    sources = []
    for path, kind, value in references(body):
        found = _DATA.fullmatch(value) if kind == "image_url" else None
        if found is None:
            raise uncarried(
                path,
                f"`{path}` cannot be carried to this model: send the picture itself, as a data "
                "URL or in a form.",
            )
        sources.append(SourceImage(found[1], found[2]))
    return tuple(sources)


def parts(form: FormMembers, model: str, left: frozenset[str]) -> list[Part]:
    """The caller's parts in order, files as they came, with the channel's own model name and
    without the fields that are ``left`` out.
    """
    named = False
    found: list[Part] = []
    for part in form.parts:
        name = base(part.name)
        if part.is_file:
            found.append(part)
        elif name == "model":
            found.append(msgspec.structs.replace(part, value=model.encode()))
            named = True
        elif name not in left:
            found.append(part)
    if not named:
        found.insert(0, Part(name="model", value=model.encode()))
    return found
