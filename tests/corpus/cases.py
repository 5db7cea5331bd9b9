"""Every worst case, at the sizes that limits allow."""

from corpus.answering import ANSWERS
from corpus.asking import REQUESTS
from corpus.connections import CONNECTIONS
from corpus.films import FILMS

ALL = [*CONNECTIONS, *REQUESTS, *ANSWERS, *FILMS]


def named():
    """Every case by its name, as a function of its share."""
    found = {}
    for of in ALL:
        name = of(0.001).name
        while name in found:
            name += " again"
        found[name] = of
    return found
