"""Mends undone, one by one, so that it is seen that the corpus misses them. Plain builds only."""

import re

import msgspec


def joined():
    """Neighbours of one role joined by copying all of them with each."""
    from trivium.conversation import fit, turns

    def old(given):
        out = list(given[:1])
        for turn in given[1:]:
            if turns._belong(out[-1], turn):
                out[-1] = msgspec.structs.replace(out[-1], parts=out[-1].parts + turn.parts)
            else:
                out.append(turn)
        return tuple(out)

    fit.joined = old


def address():
    """A data URL looked at with an expression that goes back and forth."""
    from trivium.wire import data_url

    head = re.compile(r"data:([^,;]*)((?:;[^,;]*)*),", re.IGNORECASE)
    inner = data_url.split

    def old(url):
        head.match(url)
        return inner(url)

    data_url.split = old


def inflate():
    """A compressed answer expanded as far as its bytes go, in one turn."""
    from trivium.upstream import content_coding

    content_coding._CALLS_MAX = 1 << 60


MENDS = {"joined": joined, "address": address, "inflate": inflate}
