"""Parts of an answer that are no plain text: calls, media, the vendor's own blocks.

Of objects of very many parts texts are put together, and all else is counted, before it is read.
"""

from collections.abc import Iterable
from typing import Any, Final

import msgspec

from trivium.conversation.arguments import compact
from trivium.conversation.calls import ToolCall
from trivium.conversation.items import Part
from trivium.conversation.parts import Native, VendorPart
from trivium.conversation.tool_pairs import minted
from trivium.wire.data_url import standard
from trivium.wire.generate import media
from trivium.wire.generate.answer_structs import AnswerChunk, AnswerPart
from trivium.wire.generate.known_members import MODIFIERS, is_own
from trivium.wire.generate.views import broke
from trivium.wire.lenient import decoded

SHAPE: Final = "generate"

PARTS_APART: Final = 64
"""Parts of one object up to which each text is a piece of its own, as it came."""

_encode: Final = msgspec.json.Encoder().encode
_decode: Final = msgspec.json.Decoder(dict[str, Any]).decode
_decode_members: Final = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


def made(members: dict[str, msgspec.Raw], seed: str) -> tuple[Part, str] | None:
    """The canonical part, and the arguments of a call; ``None`` for a part that says nothing.

    A call without an id gets one made from ``seed``. Raises ``Fault`` (UPSTREAM_BROKE) for a call
    without a name, or in pieces, which nobody asked for.
    """
    present = {name: raw for name, raw in members.items() if bytes(raw) != b"null"}
    if "functionCall" in present:
        return _call(present["functionCall"], seed)
    data = [name for name in present if name not in MODIFIERS]
    if not data:
        return None
    name = data[0]
    if bytes(present.get("thought", b"")) != b"true":
        if name == "inlineData":
            blob = decoded(_decode, present[name]) or {}
            mime, text = blob.get("mimeType"), blob.get("data")
            plain = standard(text) if isinstance(text, str) else None
            if isinstance(mime, str) and plain is not None:
                return media.inline(mime, plain), ""
        if name == "fileData":
            blob = decoded(_decode, present[name]) or {}
            if isinstance(blob.get("fileUri"), str):
                mime = blob.get("mimeType")
                return media.remote(blob["fileUri"], mime if isinstance(mime, str) else None), ""
    return msgspec.structs.replace(vendor(present, name), known=is_own(name)), ""


def beside(members: dict[str, msgspec.Raw]) -> dict[str, msgspec.Raw]:
    """What a part holds beside its empty text, as servers that print every member write a call;
    empty where that is no data.
    """
    rest = {name: raw for name, raw in members.items() if name != "text"}
    said = (name for name, raw in rest.items() if bytes(raw) != b"null")
    return {} if MODIFIERS.keys() >= set(said) else rest


def vendor(members: dict[str, msgspec.Raw], name: str) -> VendorPart:
    """A part that no other shape has, without its signature, which is an attachment."""
    kept = {key: raw for key, raw in members.items() if key != "thoughtSignature"}
    return VendorPart(
        native=Native(SHAPE, _encode(kept)), kind=name, text=_words(name, members[name])
    )


def search(queries: tuple[str, ...]) -> VendorPart:
    """What was searched for, which stands beside the parts and not among them."""
    data = _encode({"webSearchQueries": queries})
    return VendorPart(Native(SHAPE, data), "groundingMetadata", queries=queries)


def _call(raw: msgspec.Raw, seed: str) -> tuple[ToolCall, str]:
    try:
        call = _decode_members(raw)
        name = _decode_text(call.get("name"))
        id_ = _decode_text(call.get("id"))
        args = bytes(call.get("args", b"{}"))
        arguments = "{}" if args == b"null" else compact(args)
    except (ValueError, RecursionError):
        raise broke() from None
    if not name or "partialArgs" in call or bytes(call.get("willContinue", b"")) == b"true":
        raise broke()
    return ToolCall(id=id_ or minted(f"{seed}.{name}"), name=name), arguments


def _decode_text(raw: msgspec.Raw | None) -> str:
    value = None if raw is None else msgspec.json.decode(raw)
    return value if isinstance(value, str) else ""


def _words(name: str, raw: msgspec.Raw) -> str:
    """What was run and what came of it, for shapes that have no such block."""
    found = decoded(_decode, raw) or {}
    text = found.get({"executableCode": "code", "codeExecutionResult": "output"}.get(name, ""))
    if not isinstance(text, str) or not text:
        return ""
    language = "python" if name == "executableCode" else ""
    return f"```{language}\n{text.rstrip()}\n```"


def joined(parts: list[AnswerPart | None]) -> Iterable[tuple[int, AnswerPart | None]]:
    """The parts of one object with their places; of very many, texts that go on are one."""
    if len(parts) <= PARTS_APART:
        return enumerate(parts)
    out: list[tuple[int, AnswerPart | None]] = []
    texts: list[str] = []
    last: AnswerPart | None = None
    for place, part in enumerate(parts):
        if part is not None and type(part.text) is str and part.text and not part.thoughtSignature:
            if last is not None and (last.thought is True) is (part.thought is True):
                texts.append(part.text)
                continue
            if last is not None:
                last.text = "".join(texts)
            last, texts = part, [part.text]
        elif last is not None:
            last.text = "".join(texts)
            last = None
        out.append((place, part))
    if last is not None:
        last.text = "".join(texts)
    return out


def others(body: AnswerChunk) -> int:
    """Parts of an object that are no texts."""
    return sum(
        sum(part is not None and type(part.text) is not str for part in candidate.content.parts)
        for candidate in body.candidates or ()
        if candidate is not None
        and candidate.content is not None
        and candidate.content.parts is not None
    )
