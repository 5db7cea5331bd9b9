"""What a provider is: a value that says where, with which kind of credential, and how it differs.

Differences that can be data are data, so routing, the pipeline and the documentation can read
them. Behaviour is a small pure function held in a field.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

import msgspec

from trivium.faults import Fault
from trivium.providers.credential import Credential
from trivium.wire.codec import UpstreamCodec
from trivium.wire.operation import Operation

if TYPE_CHECKING:
    from trivium.providers.wrapping import Wrapping

JSON: Final = "application/json"
EVENTS: Final = "text/event-stream"
ACCEPT: Final[Mapping[Operation, str]] = MappingProxyType({Operation.SPEECH: "*/*"})
"""Media types that are asked for where they are not ``JSON``."""


class Capabilities(msgspec.Struct, frozen=True, kw_only=True):
    """What the upstream is known to do. Off unless a source says otherwise."""

    stream_usage: bool = False
    """Takes ``stream_options.include_usage`` on chat and completions."""
    tools: bool = False
    images: bool = False
    documents: bool = False
    audio: bool = False
    reasoning: bool = False
    structured_output: bool = False
    prompt_cache: bool = False
    stored_responses: bool = False
    """Keeps answers of the responses shape under their id, for later requests to refer to."""


class VendorRefusal(msgspec.Struct, frozen=True, kw_only=True):
    """A vendor's answer that is not a success, as it came."""

    status: int
    headers: Mapping[str, str]
    """Lower-case names."""
    body: bytes
    """At most the first 64 KiB."""


class OwnShape(msgspec.Struct, frozen=True, kw_only=True):
    """A shape that no caller speaks and one provider does: ``Operation.VENDOR`` of its paths."""

    codec: Callable[[], UpstreamCodec]
    """Imports the codec and returns it. Called once an attempt, never before the port is open."""
    facts: Mapping[str, Any] = msgspec.field(default_factory=dict)
    """What is true of the shape: fields of ``TargetFacts`` where they differ from the defaults."""


class Provider(msgspec.Struct, frozen=True, kw_only=True):
    """A kind of upstream."""

    name: str
    """What ``provider = "…"`` in a channel says."""
    title: str
    """The vendor's own spelling, for people."""
    base_url: str | None
    """As the vendor's official SDK takes it; ``None`` where every account has its own."""
    base_form: str | None = None
    """Where ``base_url`` is ``None``: how one looks, the account's own parts in braces."""
    place: Callable[[str, str], str] | None = None
    """(host, path without a trailing slash) of a base URL as written -> the path that ``paths`` are
    below, for a vendor whose accounts have a place in it. Raises ``ValueError`` with text for the
    operator. ``None``: ``providers/address.py`` knows enough by the other two."""
    credential: Credential | None
    """``None``: it asks for none."""
    key_optional: bool = False
    """Whether it may run without a key (local engines); a configured one is presented anyway."""
    key_variables: tuple[str, ...] = ()
    """Variables in which people keep this vendor's key, the usual one first. Nothing is looked up
    there unasked: `trivium init` writes ``env:NAME`` for what it finds."""
    paths: Mapping[Operation, str]
    """Path below the base URL of each operation it serves natively; ``{model}`` is filled in.

    A path may begin with ``../``: some vendors keep their messages shape beside the base URL of
    their chat shape, not below it. ``providers/address.py`` resolves both.
    """
    stream_paths: Mapping[Operation, str] = msgspec.field(default_factory=dict)
    """Path of those operations that lie elsewhere when a stream of frames is wanted."""
    accept: Mapping[Operation, str] = ACCEPT
    """Media type asked for in a whole answer, where it is not JSON."""
    stream_accept: Mapping[Operation, str] = msgspec.field(default_factory=dict)
    """Media type asked for in a stream, where it is not server-sent events."""
    own: OwnShape | None = None
    """The shape of ``Operation.VENDOR``; ``None``: it has none of its own."""
    capabilities: Capabilities = Capabilities()
    forwards: frozenset[str] = frozenset()
    """Caller's request headers (lower case) that travel to this vendor. Nothing else does."""
    returns: frozenset[str] = frozenset()
    """Vendor's answer headers (lower case) that travel to the caller. Nothing else does."""
    headers: Mapping[str, str] = msgspec.field(default_factory=dict)
    """Headers always sent, unless the caller's forwarded one replaces it."""
    query: Mapping[str, str] = msgspec.field(default_factory=dict)
    """Query parameters always sent."""
    wrappings: Mapping[Operation, "Wrapping"] = msgspec.field(default_factory=dict)
    """Operations whose bodies and answers are in a wrapping of this cloud's own."""
    quirks: frozenset[str] = frozenset()
    """Names of known deviations that the relay repairs (``providers/quirks.py``)."""
    failure: Callable[[VendorRefusal], Fault]
    """What a refusal means to us and what the caller may read of it."""
    source: str = ""
    """Where this was read: an address and a date."""
