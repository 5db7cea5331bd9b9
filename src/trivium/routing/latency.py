"""How long each channel takes to its first byte: an average that forgets, and then is curious."""

from collections.abc import Callable
from typing import Final

from trivium.routing.candidates import Reading

HALF_S: Final = 30.0
"""An estimate counts half after so long: a channel that was slow is looked at again."""
SHARE: Final = 0.3
"""Of a new reading in the average."""
KEYS_MAX: Final = 10_000


def added(reading: Reading | None, seconds: float, now: float) -> Reading:
    """The average with one more reading; what is old counts for less."""
    if reading is None:
        return Reading(seconds, now, now)
    share = 1.0 - (1.0 - SHARE) * _faded(now - reading.at)
    return Reading(reading.seconds + share * (seconds - reading.seconds), now, reading.begun)


def estimate(reading: Reading | None, now: float) -> float:
    """What to expect now; 0 of what nobody has tried: so it is tried."""
    if reading is None:
        return 0.0
    return reading.seconds * _faded(now - max(reading.at, reading.begun))


def _faded(age_s: float) -> float:
    return float(0.5 ** (max(0.0, age_s) / HALF_S))


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

    def begin(self, channel: str, model: str) -> None:
        """One is on its way: until it is back, an old reading counts as if it were new.

        Else whoever comes before the first answer follows it to a channel that may be as slow as
        it was.
        """
        reading = self._readings.get((channel, model))
        if reading is not None:
            self._readings[channel, model] = Reading(reading.seconds, reading.at, self._now())

    def expected(self, channel: str, model: str) -> float:
        """Seconds to expect; 0 when unknown."""
        return estimate(self._readings.get((channel, model)), self._now())
