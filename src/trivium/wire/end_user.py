"""For whom a request was made, as the caller says: an application's own name for one of its users.

Never trusted and never looked up: it is for whoever reads the records.
"""

from collections.abc import Mapping
from typing import Final

import msgspec

from trivium.wire.lenient import decoded

NAMES: Final = frozenset({"safety_identifier", "user", "metadata"})
"""Members that may say it: OpenAI's first two, ``metadata.user_id`` of Anthropic."""
CHARS_MAX: Final = 200
"""Of it that are kept."""
BYTES_MAX: Final = 16_384
"""Of a member that is looked into."""


class _Metadata(msgspec.Struct):
    user_id: str | None = None


_text: Final = msgspec.json.Decoder(str).decode
_metadata: Final = msgspec.json.Decoder(_Metadata).decode


def end_user(table: Mapping[str, msgspec.Raw]) -> str:
    """Its beginning, out of a body's top-level members; empty when nobody is named."""
    for name in ("safety_identifier", "user"):
        raw = table.get(name)
        if raw is not None and len(raw) <= BYTES_MAX:
            try:
                found = _text(raw)
            except ValueError:
                continue  # another program's object, or null
            if found:
                return found[:CHARS_MAX]
    raw = table.get("metadata")
    if raw is None or len(raw) > BYTES_MAX:
        return ""
    said = decoded(_metadata, raw)
    return "" if said is None else (said.user_id or "")[:CHARS_MAX]
