"""Build the catalogue out of settings, or refuse with one error that names every slip."""

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from difflib import get_close_matches
from pathlib import Path as FilePath
from typing import TypeAlias

import msgspec

from trivium.providers.address import normalise as shipped_normalise
from trivium.providers.address import target
from trivium.providers.base import Provider
from trivium.providers.credential import CredentialChoice, finder_of, parts_of
from trivium.routing.model import Binding, Catalogue, Channel, Model, PriceRow, Strategy, TimeLimits
from trivium.secret import Secret
from trivium.settings.entries import BindingEntry, ChannelEntry, ModelEntry, PriceChange, Timeouts
from trivium.settings.errors import Path, SettingsError
from trivium.settings.limits import RateLimits, limits
from trivium.settings.load import Loaded, environment
from trivium.settings.model import Settings, UpstreamSettings
from trivium.settings.packages import PROVIDERS as BROUGHT
from trivium.settings.packages import brought
from trivium.settings.prices import day
from trivium.settings.secrets import REGISTERED, Secrets
from trivium.settings.source import dotted
from trivium.wire.operation import SHAPE, SPOKEN, Operation, Shape

_BASE_FORM = "https://host.example/v1"

Resolve: TypeAlias = Callable[[str, str], Secret]
"""(text, setting) -> secret; raises SettingsError."""
Normalise: TypeAlias = Callable[[Provider, str], str]
"""(provider, base URL as written) -> base URL as paths are appended to it; raises ValueError."""


def catalogue_of(
    loaded: Loaded, providers: Mapping[str, Provider] | None = None, revision: int = 0
) -> Catalogue:
    """The catalogue of settings as loaded, with file and line in its errors."""
    return build(
        loaded.settings,
        providers,
        resolve=loaded.secrets.resolve,
        revision=revision,
        title=loaded.source.title,
        proxy=loaded.proxy,
    )


def build(
    settings: Settings,
    providers: Mapping[str, Provider] | None = None,
    *,
    resolve: Resolve | None = None,
    revision: int = 0,
    normalise: Normalise = shipped_normalise,
    title: Callable[[Path], str] = dotted,
    proxy: Callable[[str], str | None] = lambda _: None,
) -> Catalogue:
    """The catalogue of checked settings. Raises SettingsError with one line a problem.

    ``providers`` and ``normalise`` default to the ones that are shipped, ``resolve`` to the
    process's environment and files below the current folder; ``title`` names a setting in
    messages, ``proxy`` gives the environment's proxy for a base URL. Disabled channels are left
    out; a model all of whose channels are disabled stays, without bindings.
    """
    if providers is None:
        providers = known_providers(settings.plugins.enabled)
    builder = _Builder(
        upstream=settings.upstream,
        providers=providers,
        resolve=resolve or Secrets(environment(), FilePath()).resolve,
        normalise=normalise,
        title=title,
        proxy=proxy,
    )
    channels: dict[str, Channel] = {}
    disabled: set[str] = set()
    for i, entry in enumerate(settings.channels):
        if entry.disabled:
            disabled.add(entry.name)
            continue
        channel = builder.channel(i, entry)
        if channel is not None:
            channels[entry.name] = channel
    models = {
        entry.name: Model(
            name=entry.name,
            bindings=tuple(
                builder.binding(("models", i, "bindings", j), bound, entry.name, channel)
                for j, bound in enumerate(entry.bindings)
                if (channel := channels.get(bound.channel)) is not None
            ),
            free=entry.free,
            prices=_prices(entry),
            strategy=Strategy(entry.strategy),
            hedge_s=entry.hedge_s,
            fallbacks=entry.fallbacks,
            title=entry.title,
            owned_by=entry.owned_by,
            context_max=entry.context_max,
            output_max=entry.output_max,
            image_class=entry.image_class,
            rates=_rates(entry),
        )
        for i, entry in enumerate(settings.models)
    }
    if builder.lines:
        raise SettingsError(*builder.lines)
    return Catalogue(models=models, channels=channels, revision=revision)


def known_providers(packages: Sequence[str]) -> Mapping[str, Provider]:
    """Every provider a channel may name: those that are shipped, and those of these packages.

    Raises SettingsError for a package that brings something else.
    """
    from trivium.providers.registry import PROVIDERS

    if not packages:
        return PROVIDERS
    found = dict(PROVIDERS)
    for name, provider in brought(packages, BROUGHT):
        if not isinstance(provider, Provider):
            raise SettingsError(f"plugins.enabled: {name} is no Provider")
        if provider.name in found:
            raise SettingsError(f"plugins.enabled: a provider {provider.name} is there already")
        if (Operation.VENDOR in provider.paths) is not (provider.own is not None):
            raise SettingsError(
                f"plugins.enabled: provider {provider.name} has a path for a shape of its own and "
                "no such shape, or the shape and no path"
            )
        found[provider.name] = provider
    return found


class _Builder:
    """Collects problems while it builds, so that all of them are told at once."""

    def __init__(
        self,
        *,
        upstream: UpstreamSettings,
        providers: Mapping[str, Provider],
        resolve: Resolve,
        normalise: Normalise,
        title: Callable[[Path], str],
        proxy: Callable[[str], str | None],
    ) -> None:
        self._upstream = upstream
        self._providers = providers
        self._resolve = resolve
        self._normalise = normalise
        self._title = title
        self._proxy = proxy
        self.lines: list[str] = []

    def _report(self, path: Path, what: str, example: str = "") -> None:
        line = f"{self._title(path)} {what}"
        self.lines.append(f"{line}. Example: {example}" if example else line)

    def channel(self, i: int, entry: ChannelEntry) -> Channel | None:
        """One channel; ``None`` after reporting why it cannot be."""
        before = len(self.lines)
        path: Path = ("channels", i)
        provider = self._provider((*path, "provider"), entry.provider)
        if provider is None:
            return None
        base_url = self._base_url((*path, "base_url"), provider, entry.base_url)
        credentials = self._credentials(path, provider, entry)
        headers = {
            name: self._header((*path, "headers", name), text)
            for name, text in entry.headers.items()
        }
        proxy = entry.proxy or self._upstream.proxy
        if proxy is None and base_url:
            try:
                proxy = self._proxy(base_url)
            except SettingsError as exc:
                self.lines += [line for line in exc.lines if line not in self.lines]
        if len(self.lines) > before:
            return None
        return Channel(
            name=entry.name,
            provider=provider,
            base_url=base_url,
            credentials=credentials,
            parts=self._parts(path, provider, entry),
            headers=headers,
            limits=_own_limits(entry.timeouts, _limits(self._upstream)) or _limits(self._upstream),
            proxy=proxy,
            rates=_rates(entry),
            queue_max=entry.queue_max,
            queue_s=entry.queue_s,
            probe=entry.probe,
        )

    def binding(self, path: Path, entry: BindingEntry, model: str, channel: Channel) -> Binding:
        """One binding; a shape that its provider does not speak is reported."""
        shape = Shape(entry.shape) if entry.shape else None
        spoken = spoken_shapes(channel.provider)
        if shape is not None and shape not in spoken:
            names = [s.value for s in spoken]
            self._report(
                (*path, "shape"),
                f"is {shape.value}, which provider {channel.provider.name} does not speak "
                f"(it speaks {', '.join(names) or 'no conversation shape'})",
                f'shape = "{names[0]}"' if names else "",
            )
        try:
            for operation in channel.provider.paths:
                for stream in (False, True):
                    target(
                        channel.provider, channel.base_url, operation, entry.model or model,
                        stream=stream,
                    )  # fmt: skip
        except ValueError as exc:
            self._report((*path, "model"), f"cannot be called: {exc}", 'model = "gpt-5-2026-08-01"')
        return Binding(
            channel=channel,
            model=entry.model or model,
            shape=shape,
            priority=entry.priority,
            weight=entry.weight,
            cost=None if entry.cost is None else Decimal(entry.cost),
            limits=_own_limits(entry.timeouts, channel.limits),
            audio=entry.audio or "",
            profile=entry.profile.facts(),
        )

    def _provider(self, path: Path, name: str) -> Provider | None:
        provider = self._providers.get(name)
        if provider is None:
            close = get_close_matches(name.lower(), self._providers, n=1)
            known = ", ".join(sorted(self._providers))
            hint = f"(did you mean {close[0]}?)" if close else f"(there are {known})"
            example = (close or sorted(self._providers) or ["openai"])[0]
            self._report(
                path, f'is "{name}", which is not a provider {hint}', f'provider = "{example}"'
            )
        return provider

    def _base_url(self, path: Path, provider: Provider, written: str | None) -> str:
        base_url = written or provider.base_url
        if base_url is None:
            self._report(
                path,
                f"is missing: every {provider.title} account has its own",
                f'base_url = "{provider.base_form or _BASE_FORM}"',
            )
            return ""
        try:
            return self._normalise(provider, base_url)
        except ValueError as exc:
            example = provider.base_url or provider.base_form or _BASE_FORM
            self._report(path, f"cannot be used: {exc}", f'base_url = "{example}"')
            return ""

    def _credentials(
        self, path: Path, provider: Provider, entry: ChannelEntry
    ) -> tuple[Secret, ...]:
        single = entry.api_key is not None
        texts = (entry.api_key,) if entry.api_key is not None else entry.api_keys
        usual = f"{provider.name.upper().replace('-', '_')}_API_KEY"
        example = f'api_key = "env:{next(iter(provider.key_variables), usual)}"'
        needed, optional = parts_of(provider.credential)
        takes_key = "api_key" in needed or "api_key" in optional
        if texts and not takes_key:
            self._report(
                (*path, "api_key" if single else "api_keys"),
                f"is given, but provider {provider.name} takes none: it would never be sent",
            )
            return ()
        # a vendor's shape at the operator's own address may be an engine that asks for no key
        moved = provider.base_url is not None and entry.base_url is not None
        if not texts and "api_key" in needed and not provider.key_optional and not moved:
            self._report((*path, "api_key"), f"is missing: {provider.title} asks for one", example)
            return ()
        found: list[Secret] = []
        for k, text in enumerate(texts):
            at: Path = (*path, "api_key") if single else (*path, "api_keys", k)
            try:
                found.append(self._resolve(text, self._title(at)))
            except SettingsError as exc:
                self.lines += [f"{line}. Example: {example}" for line in exc.lines]
        return tuple(found)

    def _parts(self, path: Path, provider: Provider, entry: ChannelEntry) -> dict[str, Secret]:
        """What belongs to the channel's keys; unknown and missing names are reported."""
        self._together(path, provider, entry)
        needed, optional = parts_of(provider.credential)
        own = [name for name in (*needed, *optional) if name != "api_key"]
        found: dict[str, Secret] = {}
        for name, text in entry.credential.items():
            at: Path = (*path, "credential", name)
            if name not in own:
                known = f"it takes {', '.join(own)}" if own else "it takes none"
                self._report(at, f"is nothing that provider {provider.name} asks for ({known})")
                continue
            try:
                found[name] = self._resolve(text, self._title(at))
            except SettingsError as exc:
                self.lines += exc.lines
        self._usable(path, provider, entry, found)
        for name in needed:
            if name in own and name not in entry.credential and not provider.key_optional:
                self._report(
                    (*path, "credential", name),
                    f"is missing: {provider.title} asks for it",
                    f'credential = {{ {name} = "env:{name.upper()}" }}',
                )
        return found

    def _together(self, path: Path, provider: Provider, entry: ChannelEntry) -> None:
        """Report parts that do not go with one another."""
        finder = finder_of(provider.credential)
        if finder is None:
            return
        has_key = entry.api_key is not None or bool(entry.api_keys)
        try:
            finder.check(frozenset(entry.credential) | ({"api_key"} if has_key else set()))
        except ValueError as exc:
            self._report((*path, "credential"), str(exc))

    def _usable(
        self, path: Path, provider: Provider, entry: ChannelEntry, found: dict[str, Secret]
    ) -> None:
        """Report parts whose values name no identity; those of a channel with a key name none."""
        finder = finder_of(provider.credential)
        has_key = entry.api_key is not None or bool(entry.api_keys)
        if finder is None or len(found) != len(entry.credential):
            return
        if has_key and isinstance(provider.credential, CredentialChoice):
            if found.keys() - finder.places:
                self._report(
                    (*path, "credential"),
                    "names an identity, and there is an api_key as well: one of the two is right",
                )
            return
        try:
            finder.inspect({name: secret.reveal() for name, secret in found.items()})
        except ValueError as exc:
            if isinstance(provider.credential, CredentialChoice) and not found:
                self._report((*path, "api_key"), f"is missing, and credential {exc}")
            else:
                self._report((*path, "credential"), str(exc))

    def _header(self, path: Path, text: str) -> str:
        if not text.startswith(REGISTERED):
            return text
        try:
            return self._resolve(text, self._title(path)).reveal()
        except SettingsError as exc:
            self.lines += exc.lines
            return ""


def spoken_shapes(provider: Provider) -> list[Shape]:
    """Conversation shapes a provider serves natively, in the order of :class:`Shape`."""
    served = {SHAPE[operation] for operation in provider.paths}
    return [shape for shape in Shape if shape in served and shape in SPOKEN]


def _rates(entry: ChannelEntry | ModelEntry) -> RateLimits | None:
    return limits(entry.requests_per_minute, entry.tokens_per_minute, entry.max_concurrency)


def _prices(entry: ModelEntry) -> tuple[PriceRow, ...]:
    """Every price list of a model, oldest first."""
    if entry.free:
        return ()
    later = [_price_row(change, day(change.since)) for change in entry.price_changes]
    return (_price_row(entry, 0), *sorted(later, key=lambda row: row.since))


def _price_row(entry: ModelEntry | PriceChange, since: int) -> PriceRow:
    """The decimals of one price list, read as such; the longer a context, the later its tier."""
    tiers = sorted(entry.tiers, key=lambda tier: tier.above)
    told = {"since": since, "price": entry.price, "tiers": tiers}
    told |= {"images": entry.images, "videos": entry.videos}
    return msgspec.convert(told, PriceRow, from_attributes=True)


def _limits(upstream: UpstreamSettings) -> TimeLimits:
    return TimeLimits(
        connect=upstream.connect_timeout_s,
        first_byte=upstream.first_byte_timeout_s,
        idle=upstream.idle_timeout_s,
        total=upstream.total_timeout_s,
    )


def _own_limits(own: Timeouts, wider: TimeLimits) -> TimeLimits | None:
    """``wider`` with what ``own`` says; ``None`` where it says nothing."""
    told = {
        name: value
        for name in Timeouts.__struct_fields__
        if (value := getattr(own, name)) is not None
    }
    return msgspec.structs.replace(wider, **told) if told else None
