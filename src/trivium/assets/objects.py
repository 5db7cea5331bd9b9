"""Bytes under an id: a local folder, or a bucket that speaks S3, through the `obstore` library.

Nothing but ids reach the store, so no name of a caller's ever becomes part of a path.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote, urlsplit

from trivium.assets.model import ID, AssetError, MissingAssetError
from trivium.settings.section import AssetsSettings

if TYPE_CHECKING:
    from obstore.store import ObjectStore, S3Config

PART_BYTES: Final = 5_242_880
"""A part of an upload of unknown length: S3 takes none smaller."""
PARTS_MAX: Final = 2
"""Parts of one upload in memory at once."""
_NOTHING: Final = "0" * 40
"""An id that no asset has: theirs are random."""
CHUNK_BYTES: Final = 131_072
"""What is read at once."""


class Objects:
    """One object store, opened at first use: the library is loaded where files are kept."""

    __slots__ = ("_place", "_store")

    def __init__(self, place: AssetsSettings) -> None:
        self._place = place
        self._store: ObjectStore | None = None

    async def put(self, asset_id: str, data: bytes | AsyncIterator[bytes]) -> int:
        """Store bytes whole or not at all; returns how many there were.

        An iterator is read as fast as the store takes it, and its exceptions pass through. Raises
        AssetError. When cancelled, nothing is left in the store.
        """
        import obstore

        counted = data if isinstance(data, bytes) else _Counted(data)
        with _told():
            store = await asyncio.to_thread(self._open)
            sending = asyncio.ensure_future(
                obstore.put_async(
                    store,
                    _path(asset_id),
                    counted,
                    chunk_size=PART_BYTES,
                    max_concurrency=PARTS_MAX,
                )
            )
            try:
                await asyncio.shield(sending)
            except asyncio.CancelledError:
                # dropped in the middle, the library would leave a half-written part for ever
                if isinstance(counted, _Counted):
                    counted.stop()
                with contextlib.suppress(Exception):
                    await sending
                    await obstore.delete_async(store, _path(asset_id))
                raise
            except Exception:
                # giving a part up may fail in turn, and hide why
                if isinstance(counted, _Counted) and counted.failed is not None:
                    raise counted.failed from None
                raise
        return len(counted) if isinstance(counted, bytes) else counted.size

    async def read(self, asset_id: str, start: int, end: int) -> AsyncIterator[bytes]:
        """The bytes from ``start`` to before ``end``, in pieces. Raises AssetError."""
        import obstore

        with _told():
            store = await asyncio.to_thread(self._open)
            found = await obstore.get_async(store, _path(asset_id), options={"range": (start, end)})
            async for piece in found.stream(min_chunk_size=CHUNK_BYTES):
                yield bytes(piece)

    async def exists(self, asset_id: str) -> bool:
        """Whether there is such an object. Raises AssetError when that cannot be told."""
        import obstore

        try:
            with _told():
                store = await asyncio.to_thread(self._open)
                await obstore.head_async(store, _path(asset_id))
        except MissingAssetError:
            return False
        return True

    async def look(self) -> None:
        """Check that the store is there and lets us list and read. Raises AssetError.

        A list is asked for as well, because a read of one object answers the same for a missing
        bucket as for an empty one. The list is below a prefix that no object has.
        """
        import obstore

        with _told():
            store = await asyncio.to_thread(self._open)
            async for _ in obstore.list(store, prefix="none", chunk_size=1):
                break
        await self.exists(_NOTHING)

    async def delete(self, asset_id: str) -> None:
        """Remove an object, if it is there. Raises AssetError."""
        import obstore

        with contextlib.suppress(MissingAssetError), _told():
            store = await asyncio.to_thread(self._open)
            await obstore.delete_async(store, _path(asset_id))

    def _open(self) -> "ObjectStore":
        if self._store is None:
            self._store = _store(self._place)
        return self._store


class _Counted:
    """Counts the bytes of an iterator, and can be told to stop."""

    def __init__(self, data: AsyncIterator[bytes]) -> None:
        self.size = 0
        self.failed: BaseException | None = None
        """What the iterator raised."""
        self._data = data
        self._stopped: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def stop(self) -> None:
        """Make the next piece an error, also for a reader that is waiting for it now."""
        if not self._stopped.done():
            self._stopped.set_result(None)

    def __aiter__(self) -> "_Counted":
        return self

    async def __anext__(self) -> bytes:
        coming = asyncio.ensure_future(anext(self._data))
        either: list[asyncio.Future[Any]] = [coming, self._stopped]
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        if self._stopped.done():
            coming.cancel()
            with contextlib.suppress(asyncio.CancelledError, StopAsyncIteration):
                await coming
            raise AssetError("the file was given up before it was whole")
        try:
            piece = coming.result()
        except StopAsyncIteration:
            raise
        except BaseException as error:
            self.failed = error
            raise
        self.size += len(piece)
        return piece


def _path(asset_id: str) -> str:
    """Return an id's path, in one of 256 folders: one of a million files would be slow."""
    if not ID.fullmatch(asset_id):
        raise MissingAssetError("no such asset")
    return f"{asset_id[:2]}/{asset_id}"


def _store(place: AssetsSettings) -> "ObjectStore":
    from obstore.store import LocalStore, S3Store

    parts = urlsplit(place.url)
    if parts.scheme == "file":
        folder = Path(unquote(parts.path))
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return LocalStore(folder)
    config: S3Config = {"region": place.region}
    if place.endpoint is not None:
        config["endpoint"] = place.endpoint
    if place.access_key is not None and place.secret_key is not None:
        config["access_key_id"] = place.access_key
        config["secret_access_key"] = place.secret_key
    http = (place.endpoint or "").startswith("http://")
    return S3Store(
        parts.netloc,
        prefix=unquote(parts.path).strip("/") or None,
        config=config,
        client_options={"allow_http": http, "timeout": "300s", "connect_timeout": "10s"},
    )


@contextlib.contextmanager
def _told() -> Iterator[None]:
    """Turn the library's errors into ours, without the paths that system errors name."""
    from obstore.exceptions import BaseError

    try:
        yield
    except FileNotFoundError:
        raise MissingAssetError("no such asset") from None
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise AssetError(f"the object store failed: {why}") from None
    except BaseError as error:
        first = str(error).partition("\n")[0]
        raise AssetError(f"the object store failed: {first}") from None
