"""How long each channel takes to its first byte: an average that forgets, and then is curious."""

from collections.abc import Callable
from typing import Final

import msgspec

HALF_S: Final = 30.0
"""An estimate counts half after so long: a channel that was slow is looked at again."""
SHARE: Final = 0.3
"""Of a new reading in the average."""
KEYS_MAX: Final = 10_000


class Reading(msgspec.Struct, frozen=True, gc=False):
    """An average and when it was last added to."""

    seconds: float
    at: float


def added(reading: Reading | None, seconds: float, now: float) -> Reading:
    """The average with one more reading."""
    if reading is None:
        return Reading(seconds, now)
    return Reading(reading.seconds + SHARE * (seconds - reading.seconds), now)


def estimate(reading: Reading | None, now: float) -> float:
    """What to expect now; 0 of what nobody has tried: so it is tried."""
    if reading is None:
        return 0.0
    return float(reading.seconds * 0.5 ** (max(0.0, now - reading.at) / HALF_S))


class Latency:
    """One worker's readings by channel and the channel's own model name."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._readings: dict[tuple[str, str], Reading] = {}

    def add(self, channel: str, model: str, seconds: float) -> None:
        """One answer began after so long."""
        if len(self._readings) >= KEYS_MAX:
            self._readings.clear()
        key = (channel, model)
        self._readings[key] = added(self._readings.get(key), seconds, self._now())

    def expected(self, channel: str, model: str) -> float:
        """Seconds to expect; 0 when unknown."""
        return estimate(self._readings.get((channel, model)), self._now())
