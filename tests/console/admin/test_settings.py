"""Settings before an administrator: with their origins, and no secret."""

import pytest

from console.api.admin.test_settings import FILE
from console.visiting import Seen, SeenWorker, console_over, user_of, visiting
from trivium.console.admin.settings import AT, SHOWN_CHARS
from trivium.identity.model import UserRole
from trivium.settings.load import load_with_source
from trivium.settings.model import Settings


def read_from(tmp_path, text):
    """A worker that has read this file after it was started with no file."""
    path = tmp_path / "trivium.toml"
    path.write_text(text)
    found = load_with_source(path, {})
    seen = SeenWorker(Settings())
    seen.read = found.settings, found.source
    return seen


async def shown(database, tmp_path, query="", text=FILE, role=UserRole.ADMIN):
    console = console_over(database, seen=read_from(tmp_path, text))
    async with visiting(database, console) as visitor:
        name = f"eve-{len(await console.identity.list_users())}"
        await visitor.log_in(await user_of(console, name, role))
        return await visitor.get(f"{AT}?{query}")


@pytest.mark.asyncio
async def test_settings_are_shown_with_where_they_were_given(database, tmp_path):
    """And what waits for a restart; a secret is told to be one, and never shown."""
    page = (await shown(database, tmp_path)).text
    words = Seen(page).words
    assert {"server.listen", '"127.0.0.1:9999"', "routing.failures", "default"} <= set(words)
    assert {"secret", "after a restart"} <= set(words)
    assert "very-secret" not in page
    assert any(each.endswith("trivium.toml:2") for each in words)


@pytest.mark.asyncio
async def test_they_are_found_by_name_and_by_whether_they_were_given(database, tmp_path):
    """Nothing that fits is told."""
    words = Seen((await shown(database, tmp_path, "given=1")).text).words
    assert "routing.failures" in words
    assert "routing.window_s" not in words
    words = Seen((await shown(database, tmp_path, "q=routing+WINDOW")).text).words
    assert "routing.window_s" in words
    assert "routing.failures" not in words
    assert "No setting fits" in (await shown(database, tmp_path, "q=nothing")).text


@pytest.mark.asyncio
async def test_a_long_value_is_cut_and_none_is_markup(database, tmp_path):
    """A list of a thousand origins fits the page."""
    origins = ", ".join(f'"https://{n}.example"' for n in range(1000))
    page = (await shown(database, tmp_path, text=f"[server]\ncors_origins = [{origins}]\n")).text
    assert "https://0.example" in page
    assert "https://99.example" not in page
    assert SHOWN_CHARS < 1000


@pytest.mark.asyncio
async def test_they_are_for_administrators(database, tmp_path):
    """They tell how the gateway is built."""
    assert 403 == (await shown(database, tmp_path, role=UserRole.USER)).status_code
