"""The gateway's own secret: where it is, and whether this node may start with it."""

from pathlib import Path
from typing import TYPE_CHECKING, Final

from trivium.settings.errors import SettingsError
from trivium.settings.load import environment
from trivium.settings.model import Settings
from trivium.settings.secrets import Secrets

if TYPE_CHECKING:
    from trivium.storage.database import Database
    from trivium.storage.root_key import RootKeys

VARIABLE: Final = "TRIVIUM_SECRET"
"""The secrets themselves, or ``file:PATH`` of what has them."""


def key_file(settings: Settings) -> Path:
    """Return the file of the key that a gateway makes when it is given none."""
    return Path(settings.storage.journal) / "trivium.key"


def _given() -> str | None:
    """Return what the variable says, or the file that it names. Raises SettingsError."""
    value = environment().get(VARIABLE)
    if value is None or not value.startswith("file:"):
        return value
    try:
        return Secrets({}, Path()).look_up(value)
    except ValueError as error:
        raise SettingsError(f"{VARIABLE} {error}") from None


def present(settings: Settings) -> "RootKeys | None":
    """Return the keys there are; ``None``: the first start will make one. Raises SettingsError."""
    from trivium.storage.root_key import RootKeyError, found_keys

    try:
        return found_keys(_given(), key_file(settings))
    except RootKeyError as error:
        raise SettingsError(str(error)) from None


def keys_of(settings: Settings) -> "RootKeys":
    """Return the keys there are, made now if there are none."""
    from trivium.storage.root_key import root_keys

    return root_keys(_given(), key_file(settings))


async def agreed(settings: Settings, database: "Database") -> None:
    """Make sure that all nodes of a database they share have one secret.

    Raises SettingsError for a secret that cannot be used, ``SecretDiffers`` and what the database
    raises.
    """
    from trivium.storage import fingerprint
    from trivium.storage.root_key import RootKeyError, root_keys

    if database.is_sqlite:  # of this machine alone
        return
    file = key_file(settings)
    keys = present(settings)
    await fingerprint.agree(database, keys, str(file))
    if keys is None:
        try:
            keys = root_keys(None, file)
        except RootKeyError as error:
            raise SettingsError(str(error)) from None
        await fingerprint.agree(database, keys, str(file))
