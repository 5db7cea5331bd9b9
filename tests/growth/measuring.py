"""How the CPU time of a pass grows with what it is given, on a machine that is busy with others.

A neighbour makes a measurement longer, never shorter, and a pass that is quadratic is so in every
measurement. So what seems to grow too fast is measured again, small and large in turn, and of each
size the least counts.

What is larger than a cache takes two or three times as long for each item, in one or two doublings:
where the list outgrows the cache, and nowhere else. A square grows faster with each doubling. So
what seems to grow too fast between two sizes is measured between larger ones, both of them larger:
what a cache adds is then added to both, and what is quadratic is more so. The limit is the same
everywhere, and what is above it everywhere grows too fast.
"""

import contextlib
import gc
import time

FACTOR = 2.3
"""Most that a doubling may cost: twice the work, and what caches and allocators add."""
SETTLED_S = 0.0005
"""What is done in less may do with ten times as many in some milliseconds."""
ROUNDS = 12
"""So often each span of sizes is measured before it is believed to grow too fast."""
PLAIN = 1.5
"""So many times the limit, and again, is a cache's doing or a square's: larger sizes tell."""
SPANS = 4
"""So many: each begins and ends at twice the size of the one before."""
LONG_S = 0.25
"""What took longer is not measured so often, nor, by default, at a larger size."""


@contextlib.contextmanager
def unswept():
    """No garbage is looked for meanwhile: it costs most where much is kept, as in a run of tests.

    What is kept stays out of the collector's sight, as tests/conftest.py has it from the start.
    """
    gc.freeze()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def took(work):
    """CPU seconds of one call in this thread; faults are answers too."""
    began = time.thread_time()
    work()
    return time.thread_time() - began


def least(work, limit_s, tries=40):
    """CPU seconds of the quickest call: what takes longer than a limit takes longer each time.

    What takes twenty times as long is not tried again: no neighbour does that.
    """
    found = took(work)
    for _ in range(tries - 1):
        if not limit_s <= found < 20 * limit_s:
            break
        found = min(found, took(work))
    return found


class Sizes:
    """The least CPU time of each size that a row was measured at."""

    def __init__(self, make):
        self._make = make
        self._found = {}

    def measure(self, size, times):
        """Measure a size some times more, each time with input of its own."""
        for _ in range(times):
            taken = took(self._make(size))
            self._found[size] = min(taken, self._found.get(size, taken))
            if taken > LONG_S:
                break

    def factor(self, small, large):
        """How many times as much each doubling costs from a size up to another."""
        doublings = (large // small).bit_length() - 1
        return (self[large] / max(self[small], SETTLED_S)) ** (1 / doublings)

    def __getitem__(self, size):
        return self._found[size]


def growth(make, small, doublings, allowed=FACTOR, longest_s=LONG_S):
    """The largest size measured, its CPU time, and what each doubling up to it costs.

    ``longest_s``: what took longer is not measured at a larger size.
    """
    gc.collect()  # what rows before this one left; little else is looked at, see above
    sizes = Sizes(make)
    for span in range(SPANS):
        low, high = small << span, small << (span + doublings)
        for again in range(ROUNDS):
            sizes.measure(low, 3 if again == 0 else 2)
            sizes.measure(high, 1)
            factor = sizes.factor(low, high)
            if factor <= allowed:
                return high, sizes[high], factor
            if factor > PLAIN * allowed and again > 0:
                break
        if sizes[high] > longest_s:
            break
    return high, sizes[high], factor
