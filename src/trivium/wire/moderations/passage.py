"""The moderations operation on the pass-through lane; it never streams and generates nothing.

Source: OpenAI's API reference, moderations, read 2026-11-21.
"""

from typing import Any, Final

import msgspec

from trivium.faults import Fault, Kind
from trivium.wire import openai_shapes
from trivium.wire.chat.read_values import string, wrong_type
from trivium.wire.checks import missing, wrong
from trivium.wire.lenient import decoded
from trivium.wire.passage import AnswerFacts, PassThroughSpec, RequestFacts
from trivium.wire.peek import Members

MODEL: Final = "omni-moderation-latest"
"""The model of a request that names none, by the protocol."""


def facts(body: Members) -> RequestFacts:
    """Read and check a moderations request. Raises ``Fault`` naming the member."""
    model = MODEL if body.raw("model") is None else body.needed("model")
    check_input(body.value("input"))
    return RequestFacts(model=model, output_max=0)


def check_input(value: Any) -> None:
    """A text, texts, or parts: each a text or the address of a picture. Raises ``Fault``."""
    if value is None:
        raise missing("input")
    if isinstance(value, str):
        return
    if not isinstance(value, list):
        raise wrong_type("input", "a string or an array", value)
    if not value:
        raise wrong("input", "not be an empty array")
    texts = isinstance(value[0], str)
    for at, one in enumerate(value):
        path = f"input[{at}]"
        if isinstance(one, str) is not texts or not isinstance(one, str | dict):
            raise wrong(path, "be a string in an array of strings, else an object with a `type`")
        if not texts:
            _check_part(one, path)


def _check_part(part: Any, path: str) -> None:
    kind = part.get("type")
    if kind == "text":
        string(part, "text", path)
    elif kind == "image_url":
        image = part.get("image_url")
        if image is not None and not isinstance(image, dict):
            raise wrong_type(f"{path}.image_url", 'an object, such as {"url": "https://…"}', image)
        string(image or {}, "url", f"{path}.image_url")
    elif kind is None:
        raise missing(f"{path}.type")
    else:
        raise wrong(f"{path}.type", f"be one of text, image_url, not {str(kind)[:40]!r}")


class _Result(msgspec.Struct, gc=False):
    flagged: bool


class _Results(msgspec.Struct, gc=False):
    results: list[_Result]


_decode: Final = msgspec.json.Decoder(_Results).decode


def answer(body: bytes) -> AnswerFacts:
    """Usage and error of a 200 answer. Raises ``Fault`` (UPSTREAM_BROKE) on other content.

    An answer without a verdict is none: whoever asks whether any result is flagged would take it
    for a clean bill.
    """
    found = openai_shapes.answer(body, "results")
    if found.error is None:
        told = decoded(_decode, body)
        if told is None or not told.results:
            raise Fault(Kind.UPSTREAM_BROKE, "The upstream's answer has no result.")
    return found


PASSAGE: Final = PassThroughSpec(facts=facts, changes=openai_shapes.renamed, answer=answer)
