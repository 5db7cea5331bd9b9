"""For whom and for what a request was made, as the caller says: an end user, a session, tags.

Never trusted and never looked up: it is for whoever reads records and statements. Clients say it in
headers or in members of the body that they have for it anyway; a header counts before a member. A
request that has none of these names costs two looks at the names it has.

Sources, read 2026-11-28: Claude Code's gateway protocol (``x-claude-code-session-id``, and
``metadata.user_id`` with a session at its end, or as JSON), Codex (``session_id``, ``session-id``,
``conversation_id``), opencode (``x-opencode-session``, ``x-session-affinity``), Gemini CLI
(``x-gemini-api-privileged-user-id``, one an installation; it names no session), LiteLLM
(``x-litellm-tags``, ``x-litellm-end-user-id``, ``x-litellm-session-id``, ``metadata.tags``) and
Open WebUI (``x-openwebui-user-id``, ``x-openwebui-chat-id``).
"""

import hashlib
from collections.abc import Callable, Iterable, Mapping
from typing import Final

import msgspec

from trivium.wire.lenient import decoded

END_USER_HEADERS: Final = (
    b"trivium-end-user",
    b"anthropic-user-profile-id",
    b"vendor-user-profile-id",
    b"x-litellm-end-user-id",
    b"x-openwebui-user-id",
    b"x-gemini-api-privileged-user-id",
)
SESSION_HEADERS: Final = (
    b"trivium-session",
    b"x-claude-code-session-id",
    b"session_id",
    b"session-id",
    b"conversation_id",
    b"x-opencode-session",
    b"x-session-id",
    b"x-session-affinity",
    b"x-litellm-session-id",
    b"x-openwebui-chat-id",
)
TAG_HEADERS: Final = (b"trivium-tags", b"x-litellm-tags")
"""Tags with commas between them."""
HEADERS: Final = frozenset(END_USER_HEADERS + SESSION_HEADERS + TAG_HEADERS)
LABELS: Final = ("labels", "requestMetadata")
"""Members that clouds have for it: Vertex's and Converse's, names with texts."""
MEMBERS: Final = frozenset({"safety_identifier", "user", "metadata", *LABELS})
NAME_CHARS_MAX: Final = 200
"""Of an end user and of a session. A longer name is kept as its digest."""
TAGS_MAX: Final = 10
TAG_CHARS_MAX: Final = 64
BYTES_MAX: Final = 16_384
"""Of a member that is looked into."""
_SESSION: Final = "_session_"
"""Before the session in what Claude Code has as ``metadata.user_id``."""
_KNOWN: Final = frozenset({"user_id", "session_id", "tags"})
_DIGEST_BYTES: Final = 16


class Attributed(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """Whom and what a request is for."""

    end_user: str = ""
    session: str = ""
    tags: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether nobody and nothing is named."""
        return not (self.end_user or self.session or self.tags)


NOBODY: Final = Attributed()


class Said(msgspec.Struct, frozen=True, gc=False):
    """What a request says, before anything of it is hashed."""

    attribution: Attributed = NOBODY
    left_out: int = 0
    """Tags that are too long, too many or not printable."""


class _Metadata(msgspec.Struct):
    user_id: msgspec.Raw = msgspec.Raw()
    session_id: msgspec.Raw = msgspec.Raw()
    tags: msgspec.Raw = msgspec.Raw()


class _AgentUser(msgspec.Struct):
    """As Claude Code has ``metadata.user_id`` since 2.1: JSON in a text."""

    device_id: str = ""
    account_uuid: str = ""
    session_id: str = ""


_text: Final = msgspec.json.Decoder(str).decode
_texts: Final = msgspec.json.Decoder(list[str]).decode
_table: Final = msgspec.json.Decoder(dict[str, str]).decode
_raws: Final = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_metadata: Final = msgspec.json.Decoder(_Metadata).decode
_agent: Final = msgspec.json.Decoder(_AgentUser).decode
_encode: Final = msgspec.json.Encoder().encode


def read(header: Callable[[bytes], bytes | None], table: Mapping[str, msgspec.Raw]) -> Said:
    """What headers and a body's top-level members say. Raises nothing: what is no name is none."""
    end_user = _first(header, END_USER_HEADERS)
    session = _first(header, SESSION_HEADERS)
    tags = [tag for name in TAG_HEADERS for tag in _spoken(header(name)).split(",")]
    for name in ("safety_identifier", "user"):
        if name in table:
            end_user = end_user or _string(table[name])
    if "metadata" in table:
        found = _looked_into(table["metadata"])
        named, agents = _agents(_string(found.user_id))
        end_user = end_user or named
        session = session or agents or _string(found.session_id)
        tags += _tags_of(found.tags)
    for name in LABELS:
        if name in table and len(table[name]) <= BYTES_MAX:
            labels = decoded(_table, table[name]) or {}
            end_user = end_user or labels.get("user_id", "")
            session = session or labels.get("session_id", "")
            tags += labels.get("tags", "").split(",")
            tags += [f"{key}:{value}" for key, value in labels.items() if key not in _KNOWN]
    kept, left_out = bounded(tags)
    return Said(Attributed(_named(end_user), _named(session), kept), left_out)


def without_tags(raw: msgspec.Raw) -> tuple[bool, bytes | None]:
    """Whether ``metadata`` has tags as a list, which no vendor takes, and what is left of it
    without them; ``None``: nothing.
    """
    if len(raw) > BYTES_MAX:
        return False, None
    found = decoded(_raws, raw) or {}
    tags = found.pop("tags", None)
    if tags is None or bytes(tags)[:1] != b"[":
        return False, None
    return True, _encode(found) if found else None


def bounded(tags: Iterable[str]) -> tuple[tuple[str, ...], int]:
    """The tags that are kept, each once, and how many are not. None is shortened: two that begin
    alike would be one.
    """
    kept: dict[str, None] = {}
    left_out = 0
    for each in tags:
        tag = each.strip()
        if not tag or tag in kept:
            continue
        if len(kept) < TAGS_MAX and is_tag(tag):
            kept[tag] = None
        else:
            left_out += 1
    return tuple(kept), left_out


def is_tag(text: str) -> bool:
    """Whether a text can be a tag."""
    return 0 < len(text) <= TAG_CHARS_MAX and text.isprintable() and text == text.strip()


def _first(header: Callable[[bytes], bytes | None], names: tuple[bytes, ...]) -> str:
    for name in names:
        found = _spoken(header(name)).strip()
        if found:
            return found
    return ""


def _spoken(value: bytes | None) -> str:
    """A header as a text: UTF-8, which browsers and SDKs send, or what it was before."""
    if value is None:
        return ""
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value.decode("latin-1")


def _string(raw: msgspec.Raw) -> str:
    """A text; empty for anything else, such as another program's object, and for null."""
    return (decoded(_text, raw) or "") if 0 < len(raw) <= BYTES_MAX else ""


def _looked_into(raw: msgspec.Raw) -> _Metadata:
    return (decoded(_metadata, raw) if len(raw) <= BYTES_MAX else None) or _Metadata()


def _tags_of(raw: msgspec.Raw) -> list[str]:
    """A list of texts, or a text with commas, which is all that OpenAI takes there."""
    if not 0 < len(raw) <= BYTES_MAX:
        return []
    return decoded(_texts, raw) or _string(raw).split(",")


def _agents(user_id: str) -> tuple[str, str]:
    """The end user and the session in what an agent has as ``metadata.user_id``."""
    if user_id.startswith("{"):
        found = decoded(_agent, user_id.encode("utf-8", "replace"))
        if found is not None and found.session_id:
            return found.account_uuid or found.device_id, found.session_id
    name, _, session = user_id.rpartition(_SESSION)
    return (name, session) if name else (user_id, "")


def _named(name: str) -> str:
    """A name that can be kept: printable, and not longer than ``NAME_CHARS_MAX``."""
    if len(name) > NAME_CHARS_MAX:
        digest = hashlib.sha256(name.encode("utf-8", "replace")).hexdigest()
        return f"sha256:{digest[: 2 * _DIGEST_BYTES]}"
    if name.isprintable():
        return name
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in name)
