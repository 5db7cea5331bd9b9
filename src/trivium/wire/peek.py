r"""The top level of a JSON request body: read a few members, replace a few, leave the rest alone.

The pass-through lane never parses what it does not need. One pass gives every top-level member as
a raw slice, duplicates included: parsers disagree on which of two equal names counts, so a name we
read or replace that occurs twice is refused; otherwise the vendor might read another ``model``
than the one we checked. Names are compared after unescaping, so ``"mod\u0065l"`` is ``model``,
and regardless of case: a server written in Go takes ``Model`` for ``model``, and the later of the
two wins (golang/go#43664, read 2026-11-21).
"""

import codecs
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import msgspec

from trivium.faults import Fault, Kind
from trivium.wire.checks import missing, wrong
from trivium.wire.member_name import MemberName

_encode = msgspec.json.Encoder().encode


# str's own constructor makes the names, no function of ours
_decode: Final = msgspec.json.Decoder(dict[MemberName, msgspec.Raw], dec_hook=str.__new__).decode
_decode_table: Final = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_decode_any: Final = msgspec.json.Decoder().decode
_decode_string: Final[Callable[[msgspec.Raw], str | None]] = msgspec.json.Decoder(str | None).decode
_decode_flag: Final = msgspec.json.Decoder(bool | None).decode
_decode_integer: Final[Callable[[msgspec.Raw], int | None]] = msgspec.json.Decoder(
    int | None
).decode


MEMBERS_MAX: Final = 1000
"""Top-level members of a body; no API has a tenth of them."""
NAMES_BYTES_MAX: Final = 65_536
"""Of all their names together."""
LARGE_BYTES: Final = 262_144
"""Of a body from which so many members could be made that they are counted on the way."""
_LOST_BYTES_MAX: Final = 5 * MEMBERS_MAX
"""Of a body, outside of what was found in it: that many members of equal names could be lost."""

SHORT_BYTES: Final = 1024
"""Of a member that may be decoded whatever it is."""
_OPENS: Final = b"[{"
_PIECE: Final = 65_536
_NULL: Final = ord("n")
_NONE: Final[frozenset[str]] = frozenset()
_CAPITALS: Final = frozenset(
    {
        *("model", "contents", "tools", "labels", "store", "content", "title", "requests"),
        *("systemInstruction", "generationConfig", "toolConfig", "safetySettings", "serviceTier"),
        *("cachedContent", "generateContentRequest", "taskType", "outputDimensionality"),
        *("temperature", "topP", "topK", "seed", "candidateCount", "maxOutputTokens"),
        *("stopSequences", "presencePenalty", "frequencyPenalty", "logprobs", "responseLogprobs"),
        *("responseMimeType", "responseSchema", "responseJsonSchema", "responseModalities"),
        *("speechConfig", "imageConfig", "thinkingConfig", "mediaResolution"),
        *("messages", "system", "inferenceConfig", "guardrailConfig", "outputConfig"),
        *("additionalModelRequestFields", "additionalModelResponseFieldPaths", "promptVariables"),
        *("requestMetadata", "performanceConfig", "projectIdentifier"),
    }
)
"""Names of Google's shape and of Amazon's as their references spell them, read 2026-11-21 and
2026-11-28; no two of them are one in other letters, so a body that has no others holds nothing in
another spelling."""
_NO_FOLDS: Final[Mapping[str, str]] = {}


class Members:
    """The top-level members of one request body."""

    __slots__ = ("_pairs", "_twice", "folded", "table", "words")

    table: Mapping[str, msgspec.Raw]
    """Every member by its name, of equal names the last. Not to be changed."""
    folded: Mapping[str, str]
    """Names by how they are read regardless of case; empty where no two could be taken for one."""
    words: bool
    """Whether the conversation is known to be words alone (``plain_words.only_words``)."""
    _pairs: list[tuple[str, msgspec.Raw]] | None
    _twice: frozenset[str]

    def __init__(self, members: Mapping[Any, msgspec.Raw], *, is_looked_at: bool = False) -> None:
        """``members``: in their order, by their names; of ``MemberName`` some may be twice.

        ``is_looked_at``: they are strings, and none is another one in other letters.
        """
        self._pairs = None
        self.folded = _NO_FOLDS
        self._twice = _NONE
        self.words = False
        if is_looked_at:
            self.table = members
            return
        self.table = first = dict(zip(map(str, members), members.values(), strict=True))
        if len(first) != len(members):
            self._pairs = list(zip(map(str, members), members.values(), strict=True))
        elif _CAPITALS.issuperset(first):
            return
        # one look at all names together: OpenAI's and Anthropic's are lower-case ASCII throughout
        names = "".join(first)
        if self._pairs is not None or not (names.islower() and names.isascii()):
            self._look_closer(len(members))

    @property
    def pairs(self) -> list[tuple[str, msgspec.Raw]]:
        """Every member in order."""
        return list(self.table.items()) if self._pairs is None else list(self._pairs)

    def _look_closer(self, count: int) -> None:
        self.folded = dict(zip(map(str.casefold, self.table), self.table, strict=True))
        if len(self.folded) != count:
            folds = Counter(name.casefold() for name, _ in self.pairs)
            self._twice = frozenset(fold for fold, times in folds.items() if times > 1)

    def let_go(self) -> None:
        """Keep nothing of the body: whoever still holds this object will not look at it again."""
        self._pairs = None
        self.table = {}

    def slim(self, names: frozenset[str]) -> None:
        """Keep copies of the members but of these, and nothing of the body they came in."""
        self._pairs = None
        self.table = {
            name: msgspec.Raw(bytes(raw)) for name, raw in self.table.items() if name not in names
        }

    def __contains__(self, name: str) -> bool:
        """Whether the member is there, be it null."""
        return name in self.table

    def __iter__(self) -> Iterator[str]:
        """The names, each once."""
        return iter(self.table)

    def raw(self, name: str) -> bytes | None:
        """The member's bytes, ``None`` when absent or null.

        Raises DUPLICATE_MEMBER when it occurs twice, in whatever spelling, and INVALID_VALUE when
        it occurs in another spelling only, as all that follow.
        """
        if self.folded:
            self._check(name)
        raw = self.table.get(name)
        if raw is None:
            return None
        data = bytes(raw)
        return None if data == b"null" else data

    def opening(self, name: str) -> int:
        """The first byte of the member's value, which tells its type; 0 when absent or null."""
        if self.folded:
            self._check(name)
        raw = self.table.get(name)  # not `self.raw`, which makes a copy
        if raw is None:
            return 0
        first = memoryview(raw)[0]
        return 0 if first == _NULL else first

    def value(self, name: str) -> Any:
        """The member decoded, ``None`` when absent or null."""
        if self.folded:
            self._check(name)
        raw = self.table.get(name)
        return None if raw is None else decode(raw, name)

    def string(self, name: str) -> str | None:
        """A string member, ``None`` when absent or null. Raises INVALID_TYPE."""
        if self.folded:
            self._check(name)
        raw = self.table.get(name)
        if raw is None:
            return None
        try:
            return _decode_string(raw)
        except (ValueError, RecursionError):  # msgspec's and the decoder's are ValueErrors
            raise _wrong_type(raw, name, "a string") from None

    def needed(self, name: str) -> str:
        """A string member that must be there, and say something.

        Raises MISSING_MEMBER, INVALID_TYPE, INVALID_VALUE.
        """
        if self.folded:
            self._check(name)
        raw = self.table.get(name)
        try:
            found = None if raw is None else _decode_string(raw)
        except (ValueError, RecursionError):
            assert raw is not None
            raise _wrong_type(raw, name, "a string") from None
        if not found:
            raise missing(name) if found is None else wrong(name, "not be empty")
        return found

    def flag(self, name: str) -> bool:
        """A boolean member, ``False`` when absent or null. Raises INVALID_TYPE."""
        if self.folded:
            self._check(name)
        raw = self.table.get(name)
        if raw is None:
            return False
        try:
            return _decode_flag(raw) is True
        except (ValueError, RecursionError):
            raise _wrong_type(raw, name, "true or false") from None

    def integer(self, name: str, least: int | None = None) -> int | None:
        """An integer member of at least so much, ``None`` when absent or null; 5.0 counts.

        Raises INVALID_TYPE, INVALID_VALUE.
        """
        if self.folded:
            self._check(name)
        raw = self.table.get(name)
        if raw is None:
            return None
        try:
            value = _decode_integer(raw)
        except (ValueError, RecursionError):
            value = _large_integer(raw, name)
        if least is not None and value is not None and value < least:
            raise wrong(name, f"be at least {least}")
        return value

    def _check(self, name: str) -> None:
        if not self._twice and name in self.table:
            return
        fold = name.casefold()
        if fold in self._twice:
            raise Fault(
                Kind.DUPLICATE_MEMBER, f"`{name}` occurs twice in the request body.", param=name
            )
        if name not in self.table and fold in self.folded:
            spelled = self.folded[fold]
            raise Fault(Kind.INVALID_VALUE, f"`{spelled}` must be spelled `{name}`.", param=spelled)

    def splice(self, changes: Mapping[str, bytes | None]) -> bytes:
        """The body with ``changes`` made: JSON bytes replace or add a member, ``None`` removes it.

        Every other member's value stays byte for byte, in its place, duplicates included.
        """
        if self.folded:
            for name in changes:
                self._check(name)
        if self._pairs is None:
            # HOT: written in one go where nothing is twice: 0.8 -> 0.3 us
            # (2026-11-24, bench/hot.py --case splice.)
            table = dict(self.table)
            for name, new in changes.items():
                if new is None:
                    table.pop(name, None)
                else:
                    table[name] = msgspec.Raw(new)
            return _encode(table)
        parts: list[bytes] = []
        left = dict(changes)
        for name, raw in self._pairs:
            if name in left:
                new = left.pop(name)
                if new is not None:
                    parts.append(_encode(name) + b":" + new)
            else:
                parts.append(_encode(name) + b":" + bytes(raw))
        parts += [_encode(name) + b":" + new for name, new in left.items() if new is not None]
        return b"{" + b",".join(parts) + b"}"


def members(body: bytes) -> Members:
    """Read a body's top level. Raises MALFORMED_JSON with where it broke.

    The values are skimmed, but for one thing: all of them are UTF-8, so that whoever reads or
    relays them need not ask.
    """
    try:
        if len(body) > LARGE_BYTES:
            return _counted(body)
        found = _decode_table(body)
        if not body.isascii():
            _look_at_text(body, found)
        # HOT: no member can have been lost to a second of its name if those that are left account
        # for every byte, as they do in what SDKs write: 2.9 -> 1.2 us
        # (2026-11-24, bench/hot.py --case top.)
        names = "".join(found)
        sizes = len(names) + sum(map(len, found.values()))
        lost = len(body) - (sizes + 4 * len(found) + 1)
        if len(found) > MEMBERS_MAX or len(names) > NAMES_BYTES_MAX or lost > _LOST_BYTES_MAX:
            return _counted(body)
        if not lost:
            known = Members(found, is_looked_at=True)
            # Google's names have capitals, and whoever asks for one of a body that was looked at
            # more closely looks twice: 2.4 -> 1.4 us (bench/hot.py --case facts.generate.short)
            plain = names.islower() and names.isascii()
            if not plain and not _CAPITALS.issuperset(found):
                known._look_closer(len(found))  # noqa: SLF001 - its own class
            return known
        return Members(_decode(body))
    except msgspec.ValidationError:
        raise Fault(
            Kind.MALFORMED_JSON, "The request body must be a JSON object.", param=None
        ) from None
    except (msgspec.DecodeError, UnicodeDecodeError) as exc:
        raise Fault(
            Kind.MALFORMED_JSON, f"The request body is not valid JSON: {_where(exc, body)}."
        ) from None
    except RecursionError:
        raise Fault(Kind.MALFORMED_JSON, "The request body is nested too deeply.") from None


class _Crowd(Exception):  # noqa: N818 - never seen outside
    """A body has too many members."""


def _counted(body: bytes) -> Members:
    """The same for a body that may hold any number of members: at too many it goes no further.

    Raises BODY_TOO_LARGE, and what the decoder raises.
    """
    left = [MEMBERS_MAX, NAMES_BYTES_MAX]

    def named(made: type[MemberName], name: str) -> MemberName:
        left[0] -= 1
        left[1] -= len(name)
        if min(left) < 0:
            raise _Crowd
        return str.__new__(made, name)

    try:
        pairs = msgspec.json.decode(body, type=dict[MemberName, msgspec.Raw], dec_hook=named)
    except _Crowd:
        raise Fault(
            Kind.BODY_TOO_LARGE,
            f"The request body has more than {MEMBERS_MAX} members at its top level, or their "
            f"names more than {NAMES_BYTES_MAX} characters; no request needs so many.",
        ) from None
    if not body.isascii():
        _look_at_text(body, pairs)
    return Members(pairs)


def _look_at_text(body: bytes, found: Mapping[Any, msgspec.Raw]) -> None:
    """Raise MALFORMED_JSON naming the member that is not UTF-8."""
    if _is_text(body):
        return
    for each, raw in found.items():
        if not _is_text(bytes(raw)):
            name = str(each)
            raise Fault(
                Kind.MALFORMED_JSON, f"`{name}` is not valid JSON: it is not UTF-8.", param=name
            )
    raise Fault(Kind.MALFORMED_JSON, "The request body is not valid JSON: it is not UTF-8.")


def _is_text(data: bytes) -> bool:
    """Whether bytes are UTF-8. Of long ones one piece is text at a time, not all."""
    try:
        if len(data) <= _PIECE:
            data.decode()
        else:
            decoder = codecs.getincrementaldecoder("utf-8")()
            view = memoryview(data)
            for at in range(0, len(data), _PIECE):
                decoder.decode(view[at : at + _PIECE])
            decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def decode(raw: bytes | msgspec.Raw, name: str) -> Any:
    """One member's value. Raises MALFORMED_JSON: members are only skimmed until they are read."""
    try:
        return _decode_any(raw)
    except (ValueError, RecursionError) as exc:  # msgspec's and the decoder's are ValueErrors
        raise _malformed(exc, name, raw) from None


def _malformed(exc: Exception, name: str, raw: bytes | msgspec.Raw) -> Fault:
    why = _where(exc, bytes(raw))
    return Fault(Kind.MALFORMED_JSON, f"`{name}` is not valid JSON: {why}.", param=name)


_SURROGATE: Final = re.compile(rb"\\u[dD][89a-fA-F]")


def _where(exc: Exception, body: bytes) -> str:
    text = str(exc).removeprefix("JSON is malformed: ").rstrip(".")
    if isinstance(exc, UnicodeDecodeError):
        text = "it is not UTF-8"
    elif isinstance(exc, RecursionError):
        text = "it is nested too deeply"
    elif "truncated" in text and _SURROGATE.search(body):
        # msgspec calls it truncated, which sends people looking in the wrong place
        text += r" (an escape \ud800 to \udfff that is not one half of a pair cannot be read)"
    return text[0].lower() + text[1:] if text else "unreadable"


def _large_integer(raw: msgspec.Raw, name: str) -> int:
    """An integer too large for the decoder of integers. Raises ``Fault`` for anything else."""
    if memoryview(raw)[0] not in _OPENS:
        value = decode(raw, name)
        if type(value) is int:
            return value
        if isinstance(value, float) and value.is_integer():
            return int(value)
    raise _wrong_type(raw, name, "an integer")


def _wrong_type(raw: msgspec.Raw, name: str, wanted: str) -> Fault:
    """The fault of a value of another type, or of one that is no JSON."""
    # of an array or object nothing is made to find that out
    first = memoryview(raw)[0]
    if len(raw) > SHORT_BYTES and first in _OPENS:
        kind = "an array" if first == _OPENS[0] else "an object"
    else:
        kind = _KINDS.get(type(decode(raw, name)), "an object")
    return Fault(Kind.INVALID_TYPE, f"`{name}` must be {wanted}, not {kind}.", param=name)


_KINDS: Final = {
    bool: "a boolean",
    int: "a number",
    float: "a number",
    str: "a string",
    list: "an array",
}
