"""Documents of Cohere's shape and canonical ones, both ways.

Such a document is words, or an object of any members, which the model is shown by their names.
Other shapes have a title and words: members beside those become lines of the words. What is cited
is found again by its title, which is that of the document, else its id, else its place.
Source: cohere-python 7.3.1, ``Document``, read 2026-11-28.
"""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from trivium.conversation.items import Part
from trivium.conversation.parts import Document, Inline, Native, Pieces, SearchResult, Text
from trivium.wire.chat.media import text_of
from trivium.wire.chat.read_values import table, text, wrong_type

SHAPE: Final = "cohere"
_encode: Final = msgspec.json.Encoder().encode
_WORDS: Final = ("text", "snippet", "content")
"""Members of which the first that is there is what a document says."""


def read(value: Any, path: str, at: int, *, citable: bool) -> Document:
    """One document. Raises ``Fault`` naming the member. ``at``: its place among the others."""
    if isinstance(value, str):
        return _document(value, title(value, at), value, citable=citable)
    if not isinstance(value, dict):
        raise wrong_type(path, "a string or an object", value)
    text(value, "id", path)
    data = table(value, "data", path)
    return _document(_worded(data), title(value, at), value, citable=citable)


def _document(words: str, name: str, value: Any, *, citable: bool) -> Document:
    return Document(
        Pieces((Text(words),)), title=name, citable=citable, native=Native(SHAPE, _encode(value))
    )


def title(value: Any, at: int) -> str:
    """What a document is called: by its title, else its id, else as the vendor counts them."""
    if isinstance(value, dict):
        data = value.get("data")
        for name in (data.get("title") if isinstance(data, dict) else None, value.get("id")):
            if isinstance(name, str) and name:
                return name
    return f"doc:{at}"


def _worded(data: Mapping[str, Any]) -> str:
    """The members as the model is to read them; the words alone where there is nothing else."""
    said = next((name for name in _WORDS if isinstance(data.get(name), str)), "")
    lines = [
        f"{name}: {value if isinstance(value, str) else _encode(value).decode()}"
        for name, value in data.items()
        if name not in (said, "title")
    ]
    if said:
        lines.append(data[said])
    return "\n".join(lines)


def words(document: Document) -> str | None:
    """What a document says; ``None`` where that is no text, or lies elsewhere."""
    source = document.source
    if isinstance(source, Pieces):
        texts = [part.text for part in source.parts if isinstance(part, Text)]
        return "\n".join(texts) if len(texts) == len(source.parts) else None
    return text_of(source) if isinstance(source, Inline) else None


def written(part: Part) -> dict[str, Any] | None:
    """A document, or a search hit, as this shape has it; ``None`` for what has no words."""
    if isinstance(part, SearchResult):
        said = "\n".join(one.text for one in part.texts)
        return {"data": {"title": part.title, "url": part.source, "text": said}}
    if not isinstance(part, Document):
        return None
    if part.native is not None and part.native.shape == SHAPE:
        own = msgspec.json.decode(part.native.data)
        return own if isinstance(own, dict) else {"data": {"text": own}}
    found = words(part)
    if found is None:
        return None
    source = part.source
    name = part.title or (source.name if isinstance(source, Inline) else None)
    data = {"title": name, "context": part.context, "text": found}
    return {"data": {member: value for member, value in data.items() if value}}
