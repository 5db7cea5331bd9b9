"""Secrets of the OAuth service: a prefix that says what it is, and 256 random bits.

Only ``[A-Za-z0-9_-]`` occurs, so credentials in a Basic header are the same with and without the
form-encoding that RFC 6749 section 2.3.1 asks for and many clients forget. What is stored is the
SHA-256 alone; 256 bits need no slow hash.
"""

import re
import secrets
from base64 import urlsafe_b64encode
from enum import Enum, unique
from hashlib import sha256
from typing import Final

SECRET_BYTES: Final = 32
SECRET_CHARS: Final = 43
HINT_CHARS: Final = 4
CLIENT_ID_BYTES: Final = 16
"""Public: unique is enough."""

_SECRET: Final = re.compile(f"[A-Za-z0-9_-]{{{SECRET_CHARS}}}")

_CLIENT_ID: Final = re.compile(r"gwc_[A-Za-z0-9_-]{22}")


@unique
class CredentialKind(Enum):
    """What a credential is; the value begins it, so that scanners find leaked ones."""

    CLIENT_ID = "gwc_"
    CLIENT_SECRET = "gws_"  # noqa: S105 - a prefix
    DEVELOPER_TOKEN = "gwdev_"  # noqa: S105 - a prefix
    ADMIN_TOKEN = "gwadm_"  # noqa: S105 - a prefix
    CODE = "gwac_"
    ACCESS_TOKEN = "gwat_"  # noqa: S105 - a prefix
    REFRESH_TOKEN = "gwrt_"  # noqa: S105 - a prefix
    REQUEST = "gwar_"
    """Names an authorization request between our own pages."""


def issue(kind: CredentialKind) -> str:
    """A new credential, from bytes that nobody can predict."""
    size = CLIENT_ID_BYTES if kind is CredentialKind.CLIENT_ID else SECRET_BYTES
    return written(kind, secrets.token_bytes(size))


def written(kind: CredentialKind, secret: bytes) -> str:
    """Return these bytes as the text of a credential."""
    return kind.value + urlsafe_b64encode(secret).rstrip(b"=").decode("ascii")


def digest(text: str) -> bytes:
    """SHA-256 of the whole credential: what is stored."""
    return sha256(text.encode("utf-8", "surrogateescape")).digest()


def looks_like(kind: CredentialKind, text: str) -> bool:
    """Whether a text can be a secret of this kind; spares looking up whatever somebody sends."""
    return text.startswith(kind.value) and bool(_SECRET.fullmatch(text, len(kind.value)))


def is_client_id(text: str) -> bool:
    """Whether a text can be a client id; spares looking up what no database takes as a text."""
    return bool(_CLIENT_ID.fullmatch(text))


def hint(text: str) -> str:
    """The last characters, which tell a user's credentials apart."""
    return text[-HINT_CHARS:]
