"""Which rules a model of speech or transcription has, read from ``audio.toml`` at first use."""

import tomllib
from collections.abc import Collection
from datetime import date
from enum import Enum, unique
from functools import cache
from importlib.resources import files
from typing import Final

import msgspec

from trivium.faults import Fault, Kind
from trivium.providers.profiles import exactness, pattern, plain

FORMATS: Final = ("json", "text", "srt", "verbose_json", "vtt", "diarized_json")


@unique
class Stream(Enum):
    """What becomes of the wish for a stream."""

    PASSES = "passes"
    REFUSED = "refused"
    IGNORED = "ignored"  # upstream; the gateway makes the stream of the whole answer


class AudioClass(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One row: a class of models with the same rules."""

    name: str
    """What ``audio = "…"`` of a binding says."""
    kind: str
    """``speech`` or ``transcript``."""
    models: tuple[str, ...]
    """Names in lower case; ``*`` is any text. Empty: chosen by name only."""
    source: str
    """Where the rules were read."""
    read: date
    """The day ``source`` was read."""
    providers: tuple[str, ...] = ()
    """Empty: all."""
    refuses: tuple[str, ...] = ()
    """Members of the request that these models do not take."""
    formats: tuple[str, ...] = FORMATS
    """Formats of a transcript that callers may ask for."""
    makes: tuple[str, ...] = ()
    """Those that the upstream itself writes; empty: all of them."""
    stream: Stream = Stream.PASSES
    chunks_above_s: float | None = None
    """Seconds above which ``chunking_strategy`` must be said; ``None``: never."""

    def permit(self, present: Collection[str], model: str) -> None:
        """Refuse what these models do not take. Raises ``Fault`` naming the member."""
        for name in self.refuses:
            if name in present:
                raise Fault(
                    Kind.UNREPRESENTABLE,
                    f"`{name}` is not taken by the model `{model}`: leave it out.",
                    param=name,
                )

    def upstream_format(self, asked: str, model: str) -> str:
        """What to ask the upstream for. Raises ``Fault`` for a format the model cannot give."""
        if asked not in self.formats:
            allowed = ", ".join(self.formats)
            raise Fault(
                Kind.UNREPRESENTABLE,
                f"`response_format` {asked} is not given by the model `{model}`: it gives "
                f"{allowed}.",
                param="response_format",
                code="unsupported_value",
            )
        makes = self.makes or self.formats
        if asked in makes:
            return asked
        return "json" if asked == "text" else "verbose_json"


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    row: tuple[AudioClass, ...]


@cache
def rows() -> tuple[AudioClass, ...]:
    """The table as it is written."""
    text = files("trivium.providers").joinpath("audio.toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text), _File).row


def names() -> tuple[str, ...]:
    """What a binding may name."""
    return tuple(row.name for row in rows())


@cache
def audio_class(kind: str, provider: str, model: str, named: str = "") -> AudioClass:
    """The class of a channel's model; ``named`` by its binding, where that is of this kind."""
    best: tuple[bool, int] = (False, -1)
    found = None
    for row in rows():
        if row.kind != kind or (row.providers and provider not in row.providers):
            continue
        if row.name == named:
            return row
        for name in row.models:
            rank = (bool(row.providers), exactness(name))
            if rank > best and pattern(name).fullmatch(plain(model)):
                best, found = rank, row
    assert found is not None  # the last row of each kind takes any name
    return found


def is_known(kind: str, provider: str, model: str, named: str = "") -> bool:
    """Whether a model is one of this kind, by its binding's word or by its own name: the last row
    of each kind takes any name, and says nothing.
    """
    if named:
        return any(row.kind == kind and row.name == named for row in rows())
    return "*" not in audio_class(kind, provider, model).models
