"""Hashes of end users and sessions, where the operator wants to keep no names."""

import hashlib
from typing import Final

from trivium.secret import Keyring
from trivium.wire.attribution import NOBODY, Attributed

_DIGEST_BYTES: Final = 16


class Pseudonyms:
    """Hashes names with a key of the deployment's: they can be told apart, and not guessed."""

    __slots__ = ("_end_users", "_key", "_ring", "_sessions")

    def __init__(self, ring: Keyring, *, end_users: bool = False, sessions: bool = False) -> None:
        """``end_users``, ``sessions``: whether only their hashes are kept."""
        self._ring = ring
        self._end_users = end_users
        self._sessions = sessions
        self._key = b""

    def hashed(self, name: str) -> str:
        """The hash of a name, 32 characters; the same for the same name on every node."""
        if not self._key:
            self._key = self._ring.key
        data = name.encode("utf-8", "replace")
        return hashlib.blake2b(data, digest_size=_DIGEST_BYTES, key=self._key).hexdigest()

    def kept(self, said: Attributed) -> Attributed:
        """What is kept of what a request says."""
        if said.is_empty:
            return NOBODY
        end_user, session = said.end_user, said.session
        if self._end_users and end_user:
            end_user = self.hashed(end_user)
        if self._sessions and session:
            session = self.hashed(session)
        return Attributed(end_user, session, said.tags)
