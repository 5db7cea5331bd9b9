"""``trivium check``, the part about services outside: shared state, object store, mail, payments.

Each is gone to as far as that changes nothing: the store is asked for what is not there,
the mail server takes our name and password and no letter, the payment provider is asked for what
was begun last, and the shared state keeps one key for a second.
"""

import asyncio
import os
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote, urlsplit

import msgspec

from trivium.assets.model import AssetError
from trivium.clock import SystemClock
from trivium.ledger.payments.model import PaymentError
from trivium.mail.outbox import MailError
from trivium.secret import Secret
from trivium.settings.accounts import MailSettings
from trivium.settings.model import Settings
from trivium.settings.payments import PaymentsSettings


class Finding(msgspec.Struct, frozen=True):
    """The result of one check."""

    check: str
    ok: bool
    details: tuple[str, ...]
    """At least one line; for a failed check one for each thing that is wrong."""


LIMIT_S: Final = 15.0
"""For each: a check is waited for."""


async def look(settings: Settings) -> list[Finding]:
    """Check the services that the settings name, and the object store, which is always there."""
    checks = [_bounded("assets", "assets.url", _assets(settings))]
    if settings.shared.url:
        checks.append(_bounded("shared", "shared.url", _shared(settings.shared.url)))
    if settings.mail.host:
        checks.append(_bounded("mail", "mail.host", _mail(settings.mail)))
    if settings.payments.provider:
        checks.append(_bounded("payments", "payments.base_url", _payments(settings.payments)))
    return list(await asyncio.gather(*checks))


async def _bounded(name: str, setting: str, check: Coroutine[Any, Any, Finding]) -> Finding:
    try:
        return await asyncio.wait_for(check, LIMIT_S)
    except TimeoutError:
        said = f"{setting}: no answer within {LIMIT_S:g} s"
        return Finding(name, ok=False, details=(said,))


async def _assets(settings: Settings) -> Finding:
    """Whether generated files can be kept."""
    from trivium.assets.objects import Objects
    from trivium.wiring.assets import place

    found = place(settings)
    parts = urlsplit(found.url)
    if parts.scheme == "file":
        from trivium.wiring.assets import is_apart

        return _folder(Path(unquote(parts.path)), apart=is_apart(settings))
    try:
        await Objects(found).look()
    except AssetError as error:
        where = "assets.endpoint" if found.endpoint else "assets.url"
        said = (
            f"assets.url: {found.url} cannot be looked into ({error}): check whether there is "
            f"such a bucket, {where}, assets.region, assets.access_key and assets.secret_key, "
            "whose owner must be let list, read, write and delete"
        )
        return Finding("assets", ok=False, details=(said,))
    return Finding("assets", ok=True, details=(f"{found.url} answers",))


def _folder(folder: Path, *, apart: bool) -> Finding:
    above = next(path for path in (folder, *folder.parents) if path.exists())
    if not above.is_dir() or not os.access(above, os.W_OK | os.X_OK):
        said = f"assets.url: {folder} cannot be written: {above} is no folder that we may write to"
        return Finding("assets", ok=False, details=(said,))
    said = f"{folder} " + ("is writable" if above == folder else "will be made at the first file")
    if apart:
        said += (
            "; with several nodes set assets.url to a bucket or to a folder that all of them see: "
            "what one node keeps there is a 404 on the others"
        )
    return Finding("assets", ok=True, details=(said,))


async def _shared(url: str) -> Finding:
    """Whether workers and nodes could share their counts there."""
    from trivium.shared.connection import parse
    from trivium.shared.state import obstacle

    address = parse(url)
    where = f"{address.host}:{address.port}"
    if why := await obstacle(address):
        return Finding("shared", ok=False, details=(f"shared.url: {where} cannot be used: {why}",))
    return Finding("shared", ok=True, details=(f"{where} answers",))


async def _mail(mail: MailSettings) -> Finding:
    """Whether the mail server would take letters from us."""
    from trivium.mail.smtp import Smtp

    where = f"{mail.host}:{mail.port}"
    settings = msgspec.structs.replace(mail, timeout_s=min(mail.timeout_s, LIMIT_S))
    try:
        await Smtp(settings, SystemClock()).greet()
    except MailError as error:
        said = (
            f"mail.host: {where} over {mail.security}: {error}: check mail.port, mail.security, "
            "mail.user and mail.password"
        )
        return Finding("mail", ok=False, details=(said,))
    who = f"takes {mail.user}" if mail.user else "answers"
    return Finding("mail", ok=True, details=(f"{where} {who}, over {mail.security}",))


async def _payments(payments: PaymentsSettings) -> Finding:
    """Whether a payment could be begun."""
    from trivium.ledger.payments import stripe

    wrong = stripe.misshapen(payments.secret_key, payments.webhook_secret)
    if not stripe.installed():
        wrong.append(stripe.MISSING)
    if wrong:
        return Finding("payments", ok=False, details=tuple(wrong))
    provider = stripe.Stripe(
        Secret(payments.secret_key), Secret(payments.webhook_secret), payments.base_url
    )
    try:
        await provider.look()
    except PaymentError as error:
        return Finding("payments", ok=False, details=(str(error),))
    is_test = payments.secret_key.startswith(("sk_test_", "rk_test_"))
    said = "Stripe answers" + (": a test key, no money moves" if is_test else "")
    return Finding("payments", ok=True, details=(said,))
