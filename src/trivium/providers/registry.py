"""Every provider by name: the modules, and the rows of ``compatible.toml``.

Read once, at first use: importing this module costs nothing, and neither does a process that never
asks. A module is imported when its provider is asked for, so a gateway has those of its channels.
"""

import tomllib
from collections.abc import Iterator, Mapping
from datetime import date
from functools import cache
from importlib.resources import files
from typing import Final, Literal

import msgspec

from trivium.providers.base import ACCEPT, Capabilities, Provider
from trivium.providers.credential import STATIC, Credential, CredentialChoice, Renewed
from trivium.providers.failure import default_failure
from trivium.wire.late_rows import LateRows
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
        from trivium.providers.identities import azure

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


_rows: Final = cache(rows)
_MODULES: Final = {
    "openai": "trivium.providers.openai:PROVIDER",
    "anthropic": "trivium.providers.anthropic:PROVIDER",
    "gemini": "trivium.providers.gemini:PROVIDER",
    "bedrock": "trivium.providers.bedrock:CONVERSE",
    "bedrock-messages": "trivium.providers.bedrock:MESSAGES",
    "bedrock-openai": "trivium.providers.bedrock:OPENAI",
    "bedrock-mantle": "trivium.providers.bedrock:MANTLE",
    "bedrock-embed": "trivium.providers.bedrock:EMBED",
    "vertex": "trivium.providers.vertex:VERTEX",
    "vertex-express": "trivium.providers.vertex:EXPRESS",
    "vertex-embed": "trivium.providers.vertex:EMBED",
    "vertex-claude": "trivium.providers.vertex:CLAUDE",
    "vertex-open": "trivium.providers.vertex:OPEN",
}
"""Providers by name: where each stands."""


class _Providers(Mapping[str, Provider]):
    """A mapping that reads its table when somebody first looks, and makes a row when it is."""

    def __init__(self) -> None:
        self._made: dict[str, Provider] = {}
        self._modules = LateRows[str, Provider]({}, _MODULES)

    def __getitem__(self, name: str) -> Provider:
        found = self._made.get(name)
        if found is None:
            of_module = name in self._modules
            found = self._modules[name] if of_module else _rows()[name].provider(name)
            found = self._made.setdefault(name, found)
        return found

    def __contains__(self, name: object) -> bool:
        return name in self._modules or name in _rows()

    def __iter__(self) -> Iterator[str]:
        return iter((*self._modules, *_rows()))

    def __len__(self) -> int:
        return len(self._modules) + len(_rows())


PROVIDERS: Final[Mapping[str, Provider]] = _Providers()
"""Every provider a channel may name."""
