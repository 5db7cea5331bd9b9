"""How the CPU time of a pass grows with what it is given."""

import gc
import time

FACTOR = 2.3
"""Most that a doubling may cost: twice the work, and what caches and allocators add."""
SETTLED_S = 0.02
"""Of less than this a measurement says little: it is taken again, the best counts."""
TRIES = 4
AGAIN_S = 1.0
"""What took longer is not measured at a larger size."""


def took(work):
    """CPU seconds of one call; faults are answers too."""
    began = time.process_time()
    work()
    return time.process_time() - began


def best(make, size, times):
    """CPU seconds for a size: the best of some, each with input of its own."""
    found = []
    for _ in range(times):
        work = make(size)
        found.append(took(work))
        if found[-1] > 1.0:
            break
    return min(found)


def growth(make, small, doublings, allowed=FACTOR):
    """The CPU time of a size, and how many times as much each doubling up to a larger one costs.

    What is over in milliseconds and seems to grow too fast is looked at again at a larger
    size: there caches and neighbours on the machine count for less, and a square for all it is.
    """
    for bigger in (0, 1, 2, 3):
        many, factor = _growth(make, small << bigger, doublings, allowed)
        if factor <= allowed or many > AGAIN_S:
            break
    return many, factor


def _growth(make, small, doublings, allowed):
    gc.collect()
    gc.disable()
    try:
        large = small << doublings
        for again in range(TRIES):
            one = best(make, small, 3 + 2 * again)
            many = best(make, large, 1 + again)
            # a floor: what is done in microseconds may do with ten times as many
            factor = (many / max(one, SETTLED_S / 40)) ** (1 / doublings)
            if factor <= allowed:
                break
        return many, factor
    finally:
        gc.enable()
        gc.collect()
