"""Every provider by name: the modules, and the rows of ``compatible.toml``.

Read once, at first use: importing this module costs nothing, and neither does a process that never
asks.
"""

import tomllib
from collections.abc import Iterator, Mapping
from datetime import date
from functools import cache
from importlib.resources import files
from typing import Final, Literal

import msgspec

from trivium.providers import anthropic, gemini, openai, vertex
from trivium.providers.base import ACCEPT, Capabilities, Provider
from trivium.providers.credential import STATIC, Credential, CredentialChoice, Renewed
from trivium.providers.failure import default_failure
from trivium.providers.identities import azure
from trivium.wire.operation import TABLE, Operation

_PATHS: Final = {
    operation: path.removeprefix("/v1")
    for operation, row in TABLE.items()
    for path in row.paths
    if path.startswith("/v1/")
}
"""Where an operation usually lies below a base URL that ends in a version segment."""


class ProviderRow(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One table of ``compatible.toml``."""

    title: str
    source: str
    """The page that says what the row says; ``run: …`` where we ran the thing itself."""
    read: date
    """The day ``source`` was read."""
    base_url: str | None = None
    base_form: str | None = None
    """Exactly one of the two."""
    auth: Literal["bearer", "x-api-key", "x-goog-api-key", "api-key", "none"] = "bearer"
    """A name of ``STATIC``."""
    entra: str | None = None
    """The audience of Entra ID's tokens, which are taken in place of a key; ``None``: none are."""
    key_optional: bool = False
    key_variables: tuple[str, ...] = ()
    serves: tuple[Operation, ...] = ()
    """Operations at their usual place."""
    paths: Mapping[Operation, str] = msgspec.field(default_factory=dict)
    """Operations elsewhere."""
    stream_paths: Mapping[Operation, str] = msgspec.field(default_factory=dict)
    """Operations that lie elsewhere when a stream is wanted."""
    accept: Mapping[Operation, str] = msgspec.field(default_factory=dict)
    stream_accept: Mapping[Operation, str] = msgspec.field(default_factory=dict)
    """Media types that are asked for instead of JSON and of server-sent events."""
    capabilities: Mapping[str, str] = msgspec.field(default_factory=dict)
    """Name of each capability that is on, with the page that says so."""
    quirks: frozenset[str] = frozenset()
    forwards: frozenset[str] = frozenset()
    headers: Mapping[str, str] = msgspec.field(default_factory=dict)
    query: Mapping[str, str] = msgspec.field(default_factory=dict)

    def _credential(self) -> Credential | None:
        key = STATIC[self.auth]
        if self.entra is None or key is None:
            return key
        return CredentialChoice(
            key=key,
            otherwise=Renewed(
                finder=azure.finder(self.entra),
                parts=(),
                optional=azure.NAMES,
                refusals=azure.REFUSALS,
            ),
        )

    def provider(self, name: str) -> Provider:
        """Return the provider that a row of the registry describes."""
        return Provider(
            name=name,
            title=self.title,
            base_url=self.base_url,
            base_form=self.base_form,
            credential=self._credential(),
            key_optional=self.key_optional,
            key_variables=self.key_variables,
            paths={operation: _PATHS[operation] for operation in self.serves} | dict(self.paths),
            stream_paths=self.stream_paths,
            accept={**ACCEPT, **self.accept},
            stream_accept=self.stream_accept,
            capabilities=msgspec.convert(dict.fromkeys(self.capabilities, True), Capabilities),
            forwards=self.forwards,
            headers=self.headers,
            query=self.query,
            quirks=self.quirks,
            failure=default_failure,
            source=f"{self.source}, read {self.read.isoformat()}",
        )


def rows() -> dict[str, ProviderRow]:
    """The table as it is written, for those who check or print it."""
    text = files("trivium.providers").joinpath("compatible.toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text), dict[str, ProviderRow])


@cache
def _all() -> dict[str, Provider]:
    modules = (openai.PROVIDER, anthropic.PROVIDER, gemini.PROVIDER, *vertex.PROVIDERS)
    found = {provider.name: provider for provider in modules}
    for name, row in rows().items():
        found[name] = row.provider(name)
    return found


class _Providers(Mapping[str, Provider]):
    """A mapping that reads its table when somebody first looks."""

    def __getitem__(self, name: str) -> Provider:
        return _all()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(_all())

    def __len__(self) -> int:
        return len(_all())


PROVIDERS: Final[Mapping[str, Provider]] = _Providers()
"""Every provider a channel may name."""
