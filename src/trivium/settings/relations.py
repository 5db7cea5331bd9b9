"""Checks between settings: each value may be fine alone and wrong beside another."""

from collections.abc import Iterator
from decimal import Decimal
from difflib import get_close_matches

from trivium.settings import accounts, payments, section, workloads
from trivium.settings.entries import ChannelEntry, ModelEntry, PriceChange
from trivium.settings.errors import Path, Problem
from trivium.settings.model import Settings
from trivium.settings.prices import gap


def relations(settings: Settings, broken: list[Path]) -> Iterator[Problem]:
    """Everything wrong between settings.

    ``broken`` are the settings that already have a problem: what only follows from one of them
    is not said again.
    """

    def sound(*path: str | int) -> bool:
        return not any(b[: len(path)] == path for b in broken)

    yield from _server(settings)
    if settings.prices.source and not settings.prices.public_key and sound("prices"):
        yield Problem(
            ("prices", "source"),
            "needs prices.public_key: suggestions from elsewhere are taken only when signed",
            'public_key = "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="',
        )
    if sound("assets"):
        yield from _assets(settings)
    if sound("payments"):
        yield from payments.relations(settings.payments, settings.server.public_url)
    yield from section.relations(settings.metrics, settings.server.admin_listen)
    yield from accounts.relations(settings.accounts, settings.mail, settings.logins)
    yield from workloads.relations(settings.workloads if sound("workloads") else ())
    yield from _channels(settings)
    channels = [entry.name for entry in settings.channels]
    complete = "" not in channels and ("channels",) not in broken
    names: dict[str, int] = {}
    for i, model in enumerate(settings.models):
        if model.name and names.setdefault(model.name, i) != i:
            yield Problem(
                ("models", i, "name"), "is taken: another model above has it", 'name = "gpt-5-eu"'
            )
        if sound("models", i):
            yield from _price(i, model)
            yield from _bindings(i, model)
        yield from _fallbacks(i, model, [entry.name for entry in settings.models])
        for j, binding in enumerate(model.bindings):
            if complete and binding.channel and binding.channel not in channels:
                close = get_close_matches(binding.channel, channels, n=1)
                hint = f"; did you mean {close[0]}" if close else ""
                known = (close or channels or ["openai-main"])[0]
                yield Problem(
                    ("models", i, "bindings", j, "channel"),
                    f'names no channel: there is no "{binding.channel}"{hint}',
                    f'channel = "{known}"',
                )


def _assets(settings: Settings) -> Iterator[Problem]:
    assets = settings.assets
    if (assets.access_key is None) != (assets.secret_key is None):
        absent = "secret_key" if assets.secret_key is None else "access_key"
        present = "access_key" if absent == "secret_key" else "secret_key"
        yield Problem(("assets", present), f"needs {absent} beside it", f'{absent} = "env:S3_KEY"')
    if assets.endpoint is not None and not assets.url.startswith("s3://"):
        yield Problem(
            ("assets", "endpoint"), "needs url with a bucket beside it", 'url = "s3://bucket"'
        )


def _server(settings: Settings) -> Iterator[Problem]:
    server = settings.server
    if server.workers > 1 and not settings.shared.url:
        yield Problem(
            ("server", "workers"),
            f"is {server.workers}, which needs shared.url: without it each worker counts requests, "
            "tokens and budgets for itself, and every limit is multiplied by the workers",
            '[shared] url = "redis://127.0.0.1:6379/0"',
        )
    most = 2 * server.body_bytes_max
    if server.bodies_bytes_max < most:
        yield Problem(
            ("server", "bodies_bytes_max"),
            "is less than twice server.body_bytes_max: not even one such body would be taken",
            f"bodies_bytes_max = {most}",
        )
    if (server.tls_certificate is None) != (server.tls_key is None):
        absent = "tls_key" if server.tls_key is None else "tls_certificate"
        present = "tls_certificate" if absent == "tls_key" else "tls_key"
        yield Problem(
            ("server", present), f"needs {absent} beside it", f'{absent} = "tls/server.pem"'
        )
    if server.admin_listen is not None and server.admin_listen == server.listen:
        yield Problem(
            ("server", "admin_listen"),
            "is the address of listen; leave it out to serve both on one port",
        )


def _channels(settings: Settings) -> Iterator[Problem]:
    names: dict[str, int] = {}
    for i, entry in enumerate(settings.channels):
        if entry.name and names.setdefault(entry.name, i) != i:
            yield Problem(
                ("channels", i, "name"),
                "is taken: another channel above has it",
                f'name = "{entry.name}-2"',
            )
        if entry.api_key is not None and entry.api_keys:
            yield Problem(("channels", i, "api_keys"), "stands beside api_key: keep one of the two")
        if entry.queue_max and entry.max_concurrency is None:
            yield Problem(
                ("channels", i, "queue_max"),
                "needs max_concurrency beside it: nobody waits where nothing is limited",
                "max_concurrency = 64",
            )
        yield from _probe(i, entry, settings)
        lower = [name.lower() for name in entry.headers]
        for name in entry.headers:
            if lower.count(name.lower()) > 1:
                yield Problem(
                    ("channels", i, "headers", name), "occurs twice: case makes no difference"
                )


def _probe(i: int, entry: ChannelEntry, settings: Settings) -> Iterator[Problem]:
    name = entry.probe.model
    served = [
        model.name
        for model in settings.models
        if any(binding.channel == entry.name for binding in model.bindings)
    ]
    if name is not None and name not in served:
        yield Problem(
            ("channels", i, "probe", "model"),
            f'is "{name}", which the channel does not serve'
            + (f" (it serves {', '.join(served)})" if served else ""),
            f'model = "{served[0]}"' if served else "",
        )


def _price(i: int, model: ModelEntry) -> Iterator[Problem]:
    path = ("models", i)
    priced = bool(model.price or model.images or model.videos)
    if model.free:
        if priced or model.tiers or model.price_changes:
            yield Problem((*path, "free"), "stands beside a price: keep one of the two")
        return
    if not priced:
        yield Problem((*path, "price"), "is missing; a model that costs nothing says free = true")
        return
    yield from _row(path, model)
    days: dict[str, int] = {}
    for j, change in enumerate(model.price_changes):
        below = (*path, "price_changes", j)
        if change.since and days.setdefault(change.since, j) != j:
            yield Problem((*below, "since"), "is taken: another change begins on that day")
        if not (change.price or change.images or change.videos):
            yield Problem((*below, "price"), "is missing: a change gives every price anew")
            continue
        yield from _row(below, change)


def _row(path: Path, row: ModelEntry | PriceChange) -> Iterator[Problem]:
    """Check one whole price list: the first one, or one that begins on a day."""
    values = [*row.price.values(), *(image.price for image in row.images)]
    values += [video.price for video in row.videos]
    if not any(Decimal(price or 0) for price in values):
        yield Problem(
            (*path, "price"),
            "is 0 throughout; a model that costs nothing says so instead",
            "free = true",
        )
    missing = gap(row.price)
    if missing:
        yield Problem((*path, "price"), missing)
    above: dict[int, int] = {}
    for j, tier in enumerate(row.tiers):
        if tier.above and above.setdefault(tier.above, j) != j:
            yield Problem((*path, "tiers", j, "above"), "is taken: another tier begins there")
        stray = [kind for kind in tier.price if "per_" in kind]
        missing = gap({**row.price, **tier.price})
        if not tier.price:
            yield Problem((*path, "tiers", j, "price"), "is missing: a tier has prices of its own")
        elif stray:
            yield Problem((*path, "tiers", j, "price", stray[0]), "has no tiers: tokens alone do")
        elif missing:
            yield Problem((*path, "tiers", j, "price"), missing)
    yield from _media(path, row)


def _media(path: Path, row: ModelEntry | PriceChange) -> Iterator[Problem]:
    """Check that images and videos have one price of each kind."""
    kinds: dict[tuple[str, str], int] = {}
    for j, image in enumerate(row.images):
        if kinds.setdefault((image.size, image.quality), j) != j:
            yield Problem((*path, "images", j), "has the size and quality of a row above")
    sizes = [video.size for video in row.videos]
    for j, size in enumerate(sizes):
        if size in sizes[:j]:
            yield Problem((*path, "videos", j, "size"), "is that of a row above")


def _fallbacks(i: int, model: ModelEntry, names: list[str]) -> Iterator[Problem]:
    """Check a model's fallbacks: theirs are not followed, so only its own name is a loop."""
    for j, name in enumerate(model.fallbacks):
        path = ("models", i, "fallbacks", j)
        if name == model.name:
            yield Problem(path, "is the model itself: it would fall back in a circle")
        elif name in model.fallbacks[:j]:
            yield Problem(path, "occurs twice")
        elif name and name not in names:
            close = get_close_matches(name, names, n=1)
            hint = f"; did you mean {close[0]}" if close else ""
            yield Problem(path, f'names no model: there is no "{name}"{hint}')


def _bindings(i: int, model: ModelEntry) -> Iterator[Problem]:
    if not model.bindings:
        yield Problem(
            ("models", i, "bindings"),
            "is missing: a model is served by at least one channel",
            '[[models.bindings]] channel = "openai-main"',
        )
    heaviest: dict[int, int] = {}
    first: dict[int, int] = {}
    for j, binding in enumerate(model.bindings):
        first.setdefault(binding.priority, j)
        heaviest[binding.priority] = max(heaviest.get(binding.priority, 0), binding.weight)
    for priority, weight in heaviest.items():
        if weight == 0:
            yield Problem(
                ("models", i, "bindings", first[priority], "weight"),
                f"is 0, as are all weights at priority {priority}: one has to be above 0",
            )
