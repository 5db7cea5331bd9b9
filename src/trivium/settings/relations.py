"""Checks between settings: each value may be fine alone and wrong beside another."""

from collections import Counter
from collections.abc import Iterable, Iterator
from decimal import Decimal
from difflib import get_close_matches
from itertools import islice
from typing import Final

from trivium.settings import accounts, payments, section, workloads
from trivium.settings.entries import ChannelEntry, ModelEntry, PriceChange
from trivium.settings.errors import Path, Problem
from trivium.settings.memory import ReadMemory
from trivium.settings.model import Settings
from trivium.settings.prices import gap


def relations(
    settings: Settings, broken: list[Path], memory: ReadMemory | None = None
) -> Iterator[Problem]:
    """Everything wrong between settings.

    ``broken`` are the settings that already have a problem: what only follows from one of them
    is not said again. ``memory``: of earlier readings.
    """

    def sound(section: str) -> bool:
        return not any(path[0] == section for path in broken)

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
    yield from _models(settings, broken, memory or ReadMemory())


def _models(settings: Settings, broken: list[Path], memory: ReadMemory) -> Iterator[Problem]:
    touched = {path[1] for path in broken if path[0] == "models" and len(path) > 1}
    channels = Names(entry.name for entry in settings.channels)
    complete = "" not in channels and ("channels",) not in broken
    models = Names(entry.name for entry in settings.models)
    for i, model in enumerate(settings.models):
        if model.name and models.index[model.name] != i:
            yield Problem(
                ("models", i, "name"), "is taken: another model above has it", 'name = "gpt-5-eu"'
            )
        if i not in touched and ("models",) not in broken and not memory.is_sound(model):
            own = [*_price(i, model), *_bindings(i, model)]
            yield from own
            if not own:
                memory.sound(model)
        if model.fallbacks:
            yield from _fallbacks(i, model, models)
        for j, binding in enumerate(model.bindings):
            if complete and binding.channel and binding.channel not in channels:
                close = channels.close(binding.channel)
                hint = f"; did you mean {close}" if close else ""
                known = close or next(iter(channels.index), "openai-main")
                yield Problem(
                    ("models", i, "bindings", j, "channel"),
                    f'names no channel: there is no "{binding.channel}"{hint}',
                    f'channel = "{known}"',
                )


class Names:
    """Names that others refer to. Only for the first few slips a close one is looked for, among so
    many: a thousand slips beside a thousand names would take minutes.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self.index: dict[str, int] = {}
        """Where each stands first."""
        for i, name in enumerate(names):
            self.index.setdefault(name, i)
        self._looks = _LOOKS

    def __contains__(self, name: str) -> bool:
        return name in self.index

    def close(self, name: str) -> str | None:
        """The name that may have been meant; ``None``: none is like it."""
        if not self._looks:
            return None
        self._looks -= 1
        found = get_close_matches(name, list(islice(self.index, _NAMES)), n=1)
        return found[0] if found else None


_LOOKS: Final = 10
_NAMES: Final = 1_000


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
    asked = {entry.name for entry in settings.channels if entry.probe.model is not None}
    served: dict[str, list[str]] = {name: [] for name in asked}
    for model in settings.models if asked else ():
        for name in dict.fromkeys(binding.channel for binding in model.bindings):
            if name in served:
                served[name].append(model.name)
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
        yield from _probe(i, entry, served.get(entry.name, []))
        lower = Counter(name.lower() for name in entry.headers)
        for name in entry.headers:
            if lower[name.lower()] > 1:
                yield Problem(
                    ("channels", i, "headers", name), "occurs twice: case makes no difference"
                )


def _probe(i: int, entry: ChannelEntry, served: list[str]) -> Iterator[Problem]:
    name = entry.probe.model
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
    sizes: dict[str, int] = {}
    for j, video in enumerate(row.videos):
        if sizes.setdefault(video.size, j) != j:
            yield Problem((*path, "videos", j, "size"), "is that of a row above")


def _fallbacks(i: int, model: ModelEntry, names: Names) -> Iterator[Problem]:
    """Check a model's fallbacks: theirs are not followed, so only its own name is a loop."""
    first: dict[str, int] = {}
    for j, name in enumerate(model.fallbacks):
        path = ("models", i, "fallbacks", j)
        if name == model.name:
            yield Problem(path, "is the model itself: it would fall back in a circle")
        elif first.setdefault(name, j) != j:
            yield Problem(path, "occurs twice")
        elif name and name not in names:
            close = names.close(name)
            hint = f"; did you mean {close}" if close else ""
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
