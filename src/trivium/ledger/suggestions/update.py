"""Newer suggestions, kept beside the journal in place of those that this version came with.

Nothing is fetched by itself, and what is fetched has to be signed: the address with ``.sig`` after
it holds the Ed25519 signature of the file's bytes in base64. A signature says who made a file, not
that its prices are right; so all that comes of it is a comparison to look at.

A suggestion is adopted by pasting lines of TOML: adopting a price is the operator's decision. The
settings file is theirs, with its comments and its order, and running gateways read it the second it
changes. So nothing writes into it.
"""

import base64
import binascii
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from http.client import HTTPException
from pathlib import Path
from typing import IO, Any, Final
from urllib.parse import urlsplit

from trivium.ledger.errors import LedgerError
from trivium.ledger.suggestions.model import (
    BYTES_MAX,
    PriceCatalogue,
    PriceList,
    SuggestedTier,
    Suggestion,
    bundled,
    read,
)
from trivium.settings.prices import KINDS, day


def toml(
    model: str, catalogue: PriceCatalogue, provider: str, entry: str, row: Suggestion, now: float
) -> str:
    """The lines of a ``[[models]]`` table that say what it costs, from today and from later days.

    ``now``: seconds since the epoch.
    """
    return "\n".join(_lines(model, catalogue, f"{provider}/{entry}", row, now)) + "\n"


def _lines(
    model: str, catalogue: PriceCatalogue, entry: str, row: Suggestion, now: float
) -> Iterator[str]:
    listed = row.at(now)
    yield f"# {model}: {entry}, by {catalogue.source} of {catalogue.date}"
    for charge in row.left_out:
        yield f"# not said by these prices: {charge}"
    yield f"price = {_table(listed.price)}"
    if listed.tiers:
        yield f"tiers = [{_tiers(listed.tiers)}]"
    later = [each for each in row.lists if each.since and day(each.since) > now]
    if later:
        yield f"price_changes = [{', '.join(map(_change, later))}]"


def _change(each: PriceList) -> str:
    tiers = f", tiers = [{_tiers(each.tiers)}]" if each.tiers else ""
    return f'{{ since = "{each.since}", price = {_table(each.price)}{tiers} }}'


def _tiers(tiers: tuple[SuggestedTier, ...]) -> str:
    return ", ".join(f"{{ above = {tier.above}, price = {_table(tier.price)} }}" for tier in tiers)


def _table(price: Mapping[str, str]) -> str:
    ordered = (f'{kind} = "{price[kind]}"' for kind in KINDS if kind in price)
    return f"{{ {', '.join(ordered)} }}"


TIMEOUT_S: Final = 30.0
"""To connect, and between two reads."""
SIGNATURE_BYTES_MAX: Final = 1_024

_LOOPBACK: Final = ("127.0.0.1", "::1", "localhost")


def fetch(url: str, public_key: str, proxy: str | None = None) -> bytes:
    """A catalogue from an address, its signature checked. Raises ``LedgerError``.

    ``public_key``: 32 bytes of Ed25519 in base64. ``proxy``: ``http://…`` or ``None``.
    """
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    key = Ed25519PublicKey.from_public_bytes(base64.b64decode(public_key))
    parts = urlsplit(url)
    if parts.scheme != "https" and parts.hostname not in _LOOPBACK:
        raise LedgerError(f"{url} is not https, which everything but loopback has to be")
    door = urllib.request.build_opener(
        urllib.request.ProxyHandler({parts.scheme: proxy} if proxy else {}), _Straight()
    )
    data = _get(door, url, BYTES_MAX)
    signed = _get(door, f"{url}.sig", SIGNATURE_BYTES_MAX)
    try:
        key.verify(base64.b64decode(signed.strip(), validate=True), data)
    except (InvalidSignature, binascii.Error, ValueError):
        raise LedgerError(f"{url} is not signed by the key of prices.public_key") from None
    return data


class _Straight(urllib.request.HTTPRedirectHandler):
    """Follows nothing: the address in the settings is the one that is trusted."""

    def redirect_request(
        self, req: Any, fp: IO[bytes], code: int, msg: str, headers: Any, newurl: str
    ) -> None:
        """Leave the answer as it is, which is then an error."""
        del req, fp, code, msg, headers, newurl


def _get(door: urllib.request.OpenerDirector, url: str, bytes_max: int) -> bytes:
    try:
        with door.open(url, timeout=TIMEOUT_S) as answer:
            data: bytes = answer.read(bytes_max + 1)
    except urllib.error.HTTPError as exc:
        exc.close()
        raise LedgerError(f"{url} answered {exc.code}") from None
    except (OSError, HTTPException, ValueError) as exc:
        reason = getattr(exc, "reason", None) or exc
        raise LedgerError(f"{url} cannot be fetched: {reason}") from None
    if len(data) > bytes_max:
        raise LedgerError(f"{url} is above {bytes_max} bytes")
    return data


NAME: Final = "suggested-prices.json"


def place(journal: str) -> Path:
    """Where newer suggestions are kept: in the folder that holds the journal's."""
    return Path(journal).absolute().parent / NAME


def current(path: Path) -> PriceCatalogue:
    """The newest suggestions there are: those kept, or those that this version came with.

    Raises ``LedgerError`` when the file is there and is no catalogue.
    """
    shipped = bundled()
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return shipped
    except OSError as exc:
        raise LedgerError(f"{path} cannot be read: {exc.strerror}") from None
    try:
        kept = read(data)
    except LedgerError as exc:
        raise LedgerError(f"{path} {exc}; update it or remove it") from None
    return kept if kept.date > shipped.date else shipped


def keep(path: Path, data: bytes) -> PriceCatalogue:
    """Check a catalogue and put it in place of the kept one, whole or not at all.

    Raises ``LedgerError`` for what is no catalogue, is older than what there is, or cannot be
    written.
    """
    fresh = read(data)
    known = current(path)
    if fresh.date < known.date:
        raise LedgerError(f"is of {fresh.date}, older than what there is, which is of {known.date}")
    beside = path.with_name(f"{path.name}.new")
    try:
        beside.write_bytes(data)
        beside.replace(path)
    except OSError as exc:
        raise LedgerError(f"cannot be kept as {path}: {exc.strerror}") from None
    return fresh
