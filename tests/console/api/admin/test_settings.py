"""Settings over the API: with their origins, what waits for a restart, and no secret."""

import pytest
import pytest_asyncio

from console.api.admin.calling import Script
from console.visiting import SeenWorker
from trivium.settings.load import load_with_source
from trivium.settings.model import Settings

PATH = "/api/admin/settings"
FILE = """[server]
listen = "127.0.0.1:9999"
[routing]
failures = 7
[metrics]
enabled = true
token = "very-secret-0123456789"
"""

pytestmark = pytest.mark.asyncio


@pytest_asyncio.fixture
async def read(database, tmp_path):
    """A script, and the settings as the file has them now."""
    path = tmp_path / "trivium.toml"
    path.write_text(FILE)
    seen = SeenWorker(Settings())
    found = load_with_source(path, {"TRIVIUM_LEDGER__FSYNC_MS": "9"})
    seen.read = found.settings, found.source
    async with Script.over(database, seen=seen) as made:
        yield made


async def test_each_setting_has_its_origin(read):
    """A line, a variable, or its default; a live one waits for nothing."""
    answer = await read.ask("GET", PATH)
    assert "very-secret" not in answer.text
    rows = {one["name"]: one for one in answer.json()["data"]["settings"]}
    listen, failures = rows["server.listen"], rows["routing.failures"]
    assert ("127.0.0.1:9999", True) == (listen["value"], listen["waits_for_restart"])
    assert listen["origin"].endswith("trivium.toml:2")
    assert (7, False) == (failures["value"], failures["waits_for_restart"])
    assert "TRIVIUM_LEDGER__FSYNC_MS" == rows["ledger.fsync_ms"]["origin"]
    assert ("default", False) == (
        rows["audit.retention_days"]["origin"],
        rows["audit.retention_days"]["waits_for_restart"],
    )
    assert (None, True) == (rows["metrics.token"]["value"], rows["metrics.token"]["is_secret"])
    assert not any(name.startswith(("channels", "models")) for name in rows)


async def test_one_table_is_shown(read):
    """One that there is not is refused with those that there are."""
    rows = (await read.done("GET", f"{PATH}?section=metrics"))["settings"]
    assert rows
    assert all(one["name"].startswith("metrics.") for one in rows)
    status, message = await read.refused("GET", f"{PATH}?section=channels")
    assert (400, True) == (status, message.startswith("section: must be one of server, "))
