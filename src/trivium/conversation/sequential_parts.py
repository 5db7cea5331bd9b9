"""One part at a time: for shapes whose clients break when parts overlap.

The oldest open part flows live; what comes for a later one waits until its turn. Nothing is
merged, nothing is lost, and the order of starts stays.
"""

from collections import deque

from trivium.conversation.events import Cited, Delta, Deltas, Event, PartEnd, PartStart


class SequentialParts:
    """Reorders the events of one answer. Feed it all of them."""

    __slots__ = ("_live", "_order", "_waiting")

    def __init__(self) -> None:
        self._live: int | None = None
        self._waiting: dict[int, list[Event]] = {}
        self._order: deque[int] = deque()
        """Of those that wait. A dict whose first is taken again and again is walked from its start
        each time.
        """

    def feed(self, events: list[Event]) -> list[Event]:
        """The same events, those of overlapping parts held back until their part is live."""
        out: list[Event] = []
        for event in events:
            if type(event) is Delta or type(event) is Deltas or type(event) is Cited:
                if event.index == self._live:
                    out.append(event)
                else:
                    self._waiting[event.index].append(event)
            elif type(event) is PartStart:
                if self._live is None:
                    self._live = event.index
                    out.append(event)
                else:
                    self._waiting[event.index] = [event]
                    self._order.append(event.index)
            elif type(event) is PartEnd:
                self._end(event, out)
            else:
                out.append(event)
        return out

    def _end(self, event: PartEnd, out: list[Event]) -> None:
        if event.index != self._live:
            self._waiting[event.index].append(event)
            return
        out.append(event)
        self._live = None
        while self._order:
            index = self._order.popleft()
            held = self._waiting.pop(index)
            out.extend(held)
            if type(held[-1]) is not PartEnd:
                self._live = index
                return
