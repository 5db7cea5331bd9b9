"""The catalogue is read once, and again when its file changes."""

import msgspec
import pytest

from catalogue.pricing.world import SUGGESTED
from trivium.catalogue.pricing import bundled as module
from trivium.catalogue.pricing.bundled import BundledPrices
from trivium.ledger.errors import LedgerError


def test_the_file_is_read_when_it_changes(tmp_path, monkeypatch):
    """Without one it is what this version came with; one that is broken is told, and mended."""
    path = tmp_path / "suggested-prices.json"
    reads, real = [], module.current
    monkeypatch.setattr(module, "current", lambda at: reads.append(at) or real(at))
    prices = BundledPrices(path)
    shipped = prices.now()
    assert shipped is prices.now()
    assert 1 == len(reads)
    path.write_bytes(msgspec.json.encode(SUGGESTED | {"date": "2099-01-01"}))
    assert "2099-01-01" == prices.now().date
    path.write_bytes(b"{}")
    with pytest.raises(LedgerError):
        prices.now()
    path.unlink()
    assert shipped.date == prices.now().date
