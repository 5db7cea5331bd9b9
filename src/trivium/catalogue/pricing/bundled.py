"""The newest catalogue of suggested prices on this node, read again when its file changes."""

import threading
from pathlib import Path

from trivium.ledger.suggestions.model import PriceCatalogue
from trivium.ledger.suggestions.update import current


class BundledPrices:
    """Keeps what was read. For threads."""

    def __init__(self, path: Path) -> None:
        """``path``: where ``trivium prices update`` keeps newer ones."""
        self._path = path
        self._turn = threading.Lock()
        self._stamp: tuple[int, int] | None = None
        self._known: PriceCatalogue | None = None

    def now(self) -> PriceCatalogue:
        """The newest there is. Raises ``LedgerError`` where the file is no catalogue."""
        with self._turn:
            stamp = self._look()
            if self._known is None or stamp != self._stamp:
                self._known, self._stamp = current(self._path), stamp
            return self._known

    def _look(self) -> tuple[int, int] | None:
        try:
            found = self._path.stat()
        except OSError:
            return None
        return found.st_mtime_ns, found.st_size
