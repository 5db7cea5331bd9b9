"""Values that cannot be printed by accident: logs, tracebacks and reprs show stars."""

import functools
import hashlib
import hmac
from collections.abc import Callable, Iterable
from typing import Final, final

KEY_ID_BYTES: Final = 4


@final
class Secret:
    """Holds one credential. ``reveal`` is called only in ``upstream/``."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """Return the credential in plain text."""
        return self._value

    def mark(self, purpose: str) -> str:
        """Sixteen hexadecimal digits that are the same for the same credential, and tell nothing
        of one that cannot be guessed. Another ``purpose`` gives others.
        """
        key = self._value.encode("utf-8", "surrogatepass")
        return hmac.digest(key, purpose.encode(), "sha256")[:8].hex()

    def fingerprint(self, place: str) -> str:
        """Tells credentials of one place apart, on every node and after every restart; nothing else
        can be done with it.
        """
        return hashlib.sha256(f"{place}\0{self._value}".encode()).hexdigest()[:16]

    def __repr__(self) -> str:
        return "Secret(***)"

    __str__ = __repr__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other._value == self._value

    def __hash__(self) -> int:
        return hash(self._value)

    def __reduce__(self) -> str | tuple[object, ...]:
        raise TypeError("a Secret is not to be serialised")


@final
class Keyring:
    """The gateway's keys for one purpose: the first one seals, every one opens what it sealed.

    What is sealed names its key by an id of ``KEY_ID_BYTES``, which tells nothing of the key.
    """

    __slots__ = ("_named",)

    def __init__(self, *keys: bytes) -> None:
        """At least one key."""
        self._named = functools.cache(lambda: _named(keys))

    @classmethod
    def late(cls, derive: Callable[[], Iterable[bytes]]) -> "Keyring":
        """Of keys that are derived at first use: a gateway that seals nothing needs none."""
        ring = cls()
        ring._named = functools.cache(lambda: _named(derive()))
        return ring

    @property
    def key(self) -> bytes:
        """Return the key that seals, the first of all."""
        return next(iter(self._named().values()))

    @property
    def id(self) -> bytes:
        """Return the name of the key that seals."""
        return next(iter(self._named()))

    @property
    def ids(self) -> tuple[bytes, ...]:
        """Names of all of them; the first one seals."""
        return tuple(self._named())

    def get(self, key_id: bytes) -> bytes | None:
        """The key of that name; ``None`` when it is not, or no longer, one of these."""
        return self._named().get(key_id)

    def __repr__(self) -> str:
        return "Keyring(***)"

    def __reduce__(self) -> str | tuple[object, ...]:
        raise TypeError("a Keyring is not to be serialised")


def _named(keys: Iterable[bytes]) -> dict[bytes, bytes]:
    named: dict[bytes, bytes] = {}
    for key in keys:
        named.setdefault(hmac.digest(key, b"trivium key id", "sha256")[:KEY_ID_BYTES], key)
    return named
