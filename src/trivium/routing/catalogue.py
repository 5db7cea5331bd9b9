"""Build the catalogue out of settings, or refuse with one error that names every slip."""

from collections import ChainMap
from collections.abc import Callable, Iterable, Mapping, MutableMapping, Sequence
from decimal import Decimal
from difflib import get_close_matches
from pathlib import Path as FilePath
from typing import Protocol, TypeAlias, cast

from trivium.providers.address import check_model, target
from trivium.providers.address import normalise as shipped_normalise
from trivium.providers.base import Provider
from trivium.providers.credential import CredentialChoice, finder_of, parts_of
from trivium.routing.build_memory import BuildMemory
from trivium.routing.entry_values import limits_of, own_limits, prices_of, rates_of
from trivium.routing.model import Binding, Catalogue, Channel, Model, Strategy
from trivium.routing.references import is_reference, secret_texts, unusable_references
from trivium.secret import Secret
from trivium.settings.entries import BindingEntry, ChannelEntry, ModelEntry
from trivium.settings.errors import Path, SettingsError
from trivium.settings.load import Loaded, environment
from trivium.settings.model import Settings, UpstreamSettings
from trivium.settings.packages import PROVIDERS as BROUGHT
from trivium.settings.packages import brought
from trivium.settings.secrets import Secrets
from trivium.settings.section import SecretsSettings
from trivium.settings.source import dotted
from trivium.wire.operation import SHAPE, SPOKEN, Operation, Shape

_BASE_FORM = "https://host.example/v1"


class Resolve(Protocol):
    """Looks secrets up. As ``Secrets.resolve``."""

    def __call__(self, text: str, setting: str, *, lines: bool = False) -> Secret:
        """The secret. Raises SettingsError."""


Normalise: TypeAlias = Callable[[Provider, str], str]
"""(provider, base URL as written) -> base URL as paths are appended to it; raises ValueError."""


def catalogue_of(
    loaded: Loaded,
    providers: Mapping[str, Provider] | None = None,
    revision: int = 0,
    memory: BuildMemory | None = None,
) -> Catalogue:
    """The catalogue of settings as loaded, with file and line in its errors."""
    return build(
        loaded.settings,
        providers,
        resolve=loaded.secrets.resolve,
        revision=revision,
        title=loaded.source.title,
        proxy=loaded.proxy,
        guarded=loaded.is_stored,
        memory=memory,
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
    guarded: Callable[[int], bool] = lambda _: False,
    memory: BuildMemory | None = None,
) -> Catalogue:
    """The catalogue of checked settings. Raises SettingsError with one line a problem.

    ``providers`` and ``normalise`` default to the ones that are shipped, ``resolve`` to the
    process's environment and files below the current folder; ``title`` names a setting in
    messages, ``proxy`` gives the environment's proxy for a base URL, ``guarded`` says which
    channels may use those references alone that the settings let the database use. Disabled
    channels are left out; a model all of whose channels are disabled stays, without bindings.
    ``memory``: of earlier buildings.
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
        references=settings.secrets,
        memory=memory or BuildMemory(),
    )
    channels: dict[str, Channel] = {}
    for i, entry in enumerate(settings.channels):
        if entry.disabled:
            continue
        channel = builder.channel(i, entry, guarded=guarded(i))
        if channel is not None:
            channels[entry.name] = channel
    models = {
        entry.name: builder.model(i, entry, channels) for i, entry in enumerate(settings.models)
    }
    if builder.lines:
        raise SettingsError(*builder.lines)
    if memory is not None:
        memory.forget_absent(channels, models)
    _prepare(channels.values())
    return Catalogue(models=models, channels=channels, revision=revision)


def _prepare(channels: Iterable[Channel]) -> None:
    """Import what these are served by, here and now: catalogues are built off the loop."""
    from trivium.wire.registry import prepare

    for channel in channels:
        prepare(channel.provider.paths)


def known_providers(packages: Sequence[str]) -> Mapping[str, Provider]:
    """Every provider a channel may name: those that are shipped, and those of these packages.

    Raises SettingsError for a package that brings something else.
    """
    from trivium.providers.registry import PROVIDERS

    if not packages:
        return PROVIDERS
    shipped = cast("MutableMapping[str, Provider]", PROVIDERS)  # nothing is written to it
    found: MutableMapping[str, Provider] = ChainMap({}, shipped)
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
        references: SecretsSettings,
        memory: BuildMemory,
    ) -> None:
        self._upstream = upstream
        self._providers = providers
        self._resolve = resolve
        self._normalise = normalise
        self._title = title
        self._proxy = proxy
        self._references = references
        self._memory = memory
        self.lines: list[str] = []

    def _report(self, path: Path, what: str, example: str = "") -> None:
        line = f"{self._title(path)} {what}"
        self.lines.append(f"{line}. Example: {example}" if example else line)

    def channel(self, i: int, entry: ChannelEntry, *, guarded: bool = False) -> Channel | None:
        """One channel; ``None`` after reporting why it cannot be. ``guarded``: it may use some
        references alone.
        """
        known = self._memory.channel(entry, self._upstream, guarded=guarded)
        if known is not None:
            return known
        channel = self._channel(i, entry, guarded=guarded)
        if channel is None:
            return None
        fixed = not any(map(is_reference, secret_texts(entry)))
        return self._memory.keep_channel(
            entry, self._upstream, channel, guarded=guarded, fixed=fixed
        )

    def _channel(self, i: int, entry: ChannelEntry, *, guarded: bool) -> Channel | None:
        before = len(self.lines)
        path: Path = ("channels", i)
        provider = self._provider((*path, "provider"), entry.provider)
        if provider is None:
            return None
        base_url = self._base_url((*path, "base_url"), provider, entry.base_url)
        if guarded and self._unsafe(path, provider, entry, base_url):
            return None
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
            limits=own_limits(entry.timeouts, limits_of(self._upstream))
            or limits_of(self._upstream),
            proxy=proxy,
            rates=rates_of(entry),
            queue_max=entry.queue_max,
            queue_s=entry.queue_s,
            probe=entry.probe,
        )

    def _unsafe(self, path: Path, provider: Provider, entry: ChannelEntry, base_url: str) -> bool:
        """Report references of a channel of the database that it may not use."""
        found = unusable_references(entry, provider, base_url, self._references)
        for below, what in found:
            self._report((*path, *below), what)
        return bool(found)

    def model(self, i: int, entry: ModelEntry, channels: Mapping[str, Channel]) -> Model:
        """One model, with bindings to the channels that are switched on."""
        served = tuple(channels.get(bound.channel) for bound in entry.bindings)
        known = self._memory.model(entry, served)
        if known is not None:
            return known
        before = len(self.lines)
        model = Model(
            name=entry.name,
            bindings=tuple(
                self.binding(("models", i, "bindings", j), bound, entry.name, channel)
                for j, (bound, channel) in enumerate(zip(entry.bindings, served, strict=True))
                if channel is not None
            ),
            free=entry.free,
            prices=prices_of(entry),
            strategy=Strategy(entry.strategy),
            hedge_s=entry.hedge_s,
            fallbacks=entry.fallbacks,
            title=entry.title,
            owned_by=entry.owned_by,
            context_max=entry.context_max,
            output_max=entry.output_max,
            image_class=entry.image_class,
            rates=rates_of(entry),
        )
        if len(self.lines) == before:
            self._memory.keep_model(entry, served, model)
        return model

    def binding(self, path: Path, entry: BindingEntry, model: str, channel: Channel) -> Binding:
        """One binding; a shape that its provider does not speak is reported."""
        shape = Shape(entry.shape) if entry.shape else None
        if shape is not None and shape not in (spoken := spoken_shapes(channel.provider)):
            names = [s.value for s in spoken]
            self._report(
                (*path, "shape"),
                f"is {shape.value}, which provider {channel.provider.name} does not speak "
                f"(it speaks {', '.join(names) or 'no conversation shape'})",
                f'shape = "{names[0]}"' if names else "",
            )
        self._check_callable((*path, "model"), channel, entry.model or model)
        return Binding(
            channel=channel,
            model=entry.model or model,
            shape=shape,
            priority=entry.priority,
            weight=entry.weight,
            cost=None if entry.cost is None else Decimal(entry.cost),
            limits=own_limits(entry.timeouts, channel.limits),
            audio=entry.audio or "",
            profile=entry.profile.facts(),
        )

    def _check_callable(self, path: Path, channel: Channel, model: str) -> None:
        """Report a model's name that cannot be part of the provider's addresses."""
        provider, base_url = channel.provider, channel.base_url
        try:
            if self._memory.is_callable(provider.name, base_url):
                check_model(provider, model)
                return
            for operation in provider.paths:
                for stream in (False, True):
                    target(provider, base_url, operation, model, stream=stream)
        except ValueError as exc:
            self._report(path, f"cannot be called: {exc}", 'model = "gpt-5-2026-08-01"')
            return
        self._memory.found_callable(provider.name, base_url)

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
        finder = finder_of(provider.credential)
        documents = frozenset[str]() if finder is None else finder.documents
        found: dict[str, Secret] = {}
        for name, text in entry.credential.items():
            at: Path = (*path, "credential", name)
            if name not in own:
                known = f"it takes {', '.join(own)}" if own else "it takes none"
                self._report(at, f"is nothing that provider {provider.name} asks for ({known})")
                continue
            try:
                several = {"lines": True} if name in documents else {}
                found[name] = self._resolve(text, self._title(at), **several)
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
        if not is_reference(text):
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
