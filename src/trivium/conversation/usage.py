"""The canonical usage record: disjoint counters, each priced once.

Vendors disagree on what contains what (docs/wire/usage.md has the table): OpenAI's and Google's
prompt counts include cache hits, Anthropic's do not; Google's output leaves reasoning out, the
others' include it. Readers in ``wire/`` and ``providers/`` normalise to the disjoint counters
below; writers restore each client's own convention. The same record feeds the client's usage, the
request record and the bill.
"""

from typing import Final, Self, TypeVar

import msgspec


class GeneratedImages(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Generated images of one size and quality."""

    count: int
    size: str = ""
    """``1024x1024``; empty when the vendor does not say."""
    quality: str = ""
    """``high``; empty when the vendor does not say."""


class Usage(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Tokens and units of one answer. Counters are disjoint: none contains another."""

    fresh: int = 0
    """Input tokens that were neither read from nor written to a cache."""
    cache_read: int = 0
    """Input tokens read from a prompt cache."""
    cache_write_short: int = 0
    """Input tokens written to a cache of five minutes (or of unstated life)."""
    cache_write_long: int = 0
    """Input tokens written to a cache of one hour."""
    output: int = 0
    """Output tokens apart from reasoning, audio and image tokens."""
    reasoning: int = 0
    """Output tokens spent on reasoning, shown or hidden."""
    audio_input: int = 0
    audio_output: int = 0
    image_input: int = 0
    image_output: int = 0
    seconds: float | None = None
    """Seconds of audio or video; ``None`` when that is not the unit."""
    video_size: str = ""
    """Of seconds of video: ``1280x720``; empty where they are of audio, or nobody says."""
    characters: int | None = None
    searches: int | None = None
    """Search units of a rerank, a query with up to 100 documents each; ``None`` when that is not
    the unit."""
    images: tuple[GeneratedImages, ...] = ()
    """Generated images; billed by the piece, beside any tokens."""
    requests: int = 1
    estimated: bool = False
    """``True`` when we counted, because the vendor did not report."""

    @property
    def input_total(self) -> int:
        """Return all input tokens: fresh, cached, audio and images."""
        return (
            self.fresh
            + self.cache_read
            + self.cache_write_short
            + self.cache_write_long
            + self.audio_input
            + self.image_input
        )

    @property
    def output_total(self) -> int:
        """Return all output tokens, reasoning included."""
        return self.output + self.reasoning + self.audio_output + self.image_output

    @classmethod
    def inclusive(
        cls,
        *,
        prompt: int,
        completion: int,
        cached: int = 0,
        cache_write: int = 0,
        reasoning: int = 0,
        audio_input: int = 0,
        audio_output: int = 0,
        image_input: int = 0,
        image_output: int = 0,
    ) -> Self:
        """From totals that contain their parts, as OpenAI counts; no part exceeds its total."""
        fresh, output = prompt, completion
        cached = min(cached, fresh)
        fresh -= cached
        cache_write = min(cache_write, fresh)
        fresh -= cache_write
        audio_input = min(audio_input, fresh)
        fresh -= audio_input
        image_input = min(image_input, fresh)
        fresh -= image_input
        reasoning = min(reasoning, output)
        output -= reasoning
        audio_output = min(audio_output, output)
        output -= audio_output
        image_output = min(image_output, output)
        output -= image_output
        return cls(
            fresh=fresh,
            cache_read=cached,
            cache_write_short=cache_write,
            output=output,
            reasoning=reasoning,
            audio_input=audio_input,
            audio_output=audio_output,
            image_input=image_input,
            image_output=image_output,
        )


TEXT_COUNTERS: Final = 6
"""Of the fields those that come first: an answer of text has no other counter."""
TEXT_ONLY: Final[tuple[object, ...]] = msgspec.structs.astuple(Usage())[TEXT_COUNTERS:-1]
"""The fields behind them, but for ``estimated``, of an answer that has text and nothing else."""


def added(one: Usage | None, other: Usage | None) -> Usage | None:
    """Return the sum of both, as of one request: for an answer that took several calls, or has
    several parts.
    """
    if one is None or other is None:
        return one or other
    return Usage(
        **{name: getattr(one, name) + getattr(other, name) for name in _COUNTERS},
        seconds=_both(one.seconds, other.seconds),
        video_size=one.video_size or other.video_size,
        characters=_both(one.characters, other.characters),
        searches=_both(one.searches, other.searches),
        images=_together((*one.images, *other.images)),
        estimated=one.estimated or other.estimated,
    )


_Number = TypeVar("_Number", int, float)


def _both(one: _Number | None, other: _Number | None) -> _Number | None:
    return other if one is None else one if other is None else one + other


def _together(rows: tuple[GeneratedImages, ...]) -> tuple[GeneratedImages, ...]:
    counts: dict[tuple[str, str], int] = {}
    for row in rows:
        key = (row.size, row.quality)
        counts[key] = counts.get(key, 0) + row.count
    return tuple(
        GeneratedImages(count=n, size=size, quality=quality)
        for (size, quality), n in counts.items()
    )


_COUNTERS: Final = tuple(
    field.name
    for field in msgspec.structs.fields(Usage)
    if field.type is int and field.name != "requests"
)
