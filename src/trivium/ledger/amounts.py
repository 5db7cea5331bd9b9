"""Nano-dollars as people write them: exact decimal dollars, both ways."""

import re
from typing import Final

from trivium.ledger.errors import LedgerError
from trivium.ledger.model import NANOS

AMOUNT_NANOS_MAX: Final = 10**9 * NANOS
"""One entry: a billion dollars."""

_CENT_NANOS: Final = NANOS // 100
_USD: Final = re.compile(r"([+-]?)([0-9]{1,10})(?:\.([0-9]{1,9}))?")


def parse_usd(text: object) -> int:
    """Nano-dollars of a decimal amount: ``10``, ``10.00``, ``-0.000000001``.

    Raises ``LedgerError`` for anything else, also for what a float would make of it (``1e3``,
    ``nan``) and for more than nine decimals, which would have to be rounded.
    """
    form = _USD.fullmatch(text) if isinstance(text, str) else None
    if form is None:
        raise LedgerError(
            f"{text!r:.80} is no amount in US dollars: write digits with at most nine decimals, "
            "such as '10.00'"
        )
    sign, whole, decimals = form.groups(default="")
    nanos = int(whole) * NANOS + int(decimals.ljust(9, "0"))
    if nanos > AMOUNT_NANOS_MAX:
        raise LedgerError(f"{text!r} is more than a billion dollars")
    return -nanos if sign == "-" else nanos


def format_usd(nanos: int) -> str:
    """Exact decimal dollars, at least two decimals: ``10.00``, ``-0.000000001``."""
    if 0 < nanos < _CENT_NANOS:
        # most requests cost less than a cent, which has more than two decimals
        return "0." + str(NANOS + nanos)[1:].rstrip("0")
    if not nanos:
        return "0.00"
    whole, rest = divmod(abs(nanos), NANOS)
    decimals = f"{rest:09d}".rstrip("0").ljust(2, "0")
    return f"{'-' if nanos < 0 else ''}{whole}.{decimals}"
