"""A key that lives in Vault is replaced there under load; Vault goes away and comes back."""

import asyncio
import time

import msgspec
import pytest

import warm
from end_to_end.running import (
    TRIVIUM,
    VENDOR_KEY,
    listening,
    prepare,
    settings,
    start,
)
from end_to_end.test_reload import OK, replace, traffic
from scripted_upstream import Double
from trivium.settings.secret_stores.store import TIMEOUT_S
from vault_double import VaultDouble

REFERENCE = "vault:secret/team/vendor#api_key"


def text_for(vendor, models=("m",)):
    """Settings whose channel has its key in Vault, looked up five times a second."""
    text = settings(vendor, models=models, rest="[secrets]\nrefresh_s = 0.2\n")
    return text.replace(VENDOR_KEY, REFERENCE)


@pytest.fixture
def vault(monkeypatch):
    with VaultDouble({"secret": ("2", {"team/vendor": {"api_key": "sk-one"}})}) as double:
        for name, value in double.environ.items():
            monkeypatch.setenv(name, value)
        yield double


async def presented(vendor, key):
    """Wait until the vendor has been shown this key."""
    deadline = time.monotonic() + 20
    while f"Bearer {key}\r".encode() not in vendor.requests[-1].raw:
        assert time.monotonic() < deadline
        await asyncio.sleep(0.02)


async def run(folder, command):
    """A command's exit code, and all it says."""
    done = await asyncio.to_thread(
        warm.run, [TRIVIUM, command], cwd=folder, capture_output=True, text=True, timeout=60
    )
    return done.returncode, done.stdout + done.stderr


async def readyz(gateway):
    status, _, body = await gateway.send(gateway.get("/readyz"))
    told = msgspec.json.decode(body)
    return status, told["status"], told["parts"]["secrets"]


@pytest.mark.asyncio
async def test_a_secret_is_replaced_in_its_store_without_losing_a_request(tmp_path, vault):
    """And stays in force while the store is away, whatever becomes of the settings file."""
    async with Double([OK]) as vendor:
        key = await prepare(tmp_path, text_for(vendor))
        gateway = start(tmp_path, key)
        try:
            await listening(gateway)
            async with traffic(gateway) as statuses:
                while not vendor.requests:
                    await asyncio.sleep(0.02)
                await presented(vendor, "sk-one")
                vault.mounts["secret"][1]["team/vendor"] = {"api_key": "sk-two"}
                await presented(vendor, "sk-two")
                changed = (await gateway.said("settings_reloaded"))["changed"]
                assert ['channels["main"]'] == changed
                assert (200, "ok", True) == await readyz(gateway)

                vault.fails = 503
                stale = await gateway.said("secrets_stale")
                why = f"{REFERENCE}, which Vault at {vault.address} cannot give: VaultDown"
                assert [why] == stale["secrets"]
                assert (200, "degraded", False) == await readyz(gateway)
                replace(gateway, text_for(vendor, models=("m", "new")))
                await gateway.said("settings_reloaded", 2)
                assert 200 == (await gateway.send(gateway.chat(model="new")))[0]

                vault.mounts["secret"][1]["team/vendor"] = {"api_key": "sk-three"}
                vault.fails = 0
                await gateway.said("secrets_fresh")
                await presented(vendor, "sk-three")
                assert (200, "ok", True) == await readyz(gateway)
            assert {200} == set(statuses)
            assert len(statuses) > 20
            assert [] == [line for line in gateway.events if line["event"] == "settings_unchanged"]
            assert "sk-" not in gateway.log.replace("sk-gateway", "")
        finally:
            gateway.process.terminate()
            assert 0 == await gateway.ended()


@pytest.mark.asyncio
async def test_a_store_that_is_slow_holds_nobody_up(tmp_path, vault):
    """It is asked in a thread: answers take no longer meanwhile."""
    async with Double([OK]) as vendor:
        key = await prepare(tmp_path, text_for(vendor))
        gateway = start(tmp_path, key)
        try:
            await listening(gateway)
            assert 200 == (await gateway.send(gateway.chat()))[0]
            asked = len(vault.requests)
            vault.waits_s = 1.5
            while len(vault.requests) == asked:
                await asyncio.sleep(0.02)
            took = []
            for _ in range(10):
                began = time.monotonic()
                assert 200 == (await gateway.send(gateway.chat()))[0]
                took.append(time.monotonic() - began)
            assert sorted(took)[5] < 0.75, took
        finally:
            vault.waits_s = 0
            gateway.process.terminate()
            await gateway.ended()


@pytest.mark.slow
@pytest.mark.asyncio
async def test_a_gateway_ends_while_a_store_hangs(tmp_path, vault):
    """After the store's limit of time at the latest, and in order."""
    async with Double([OK]) as vendor:
        key = await prepare(tmp_path, text_for(vendor))
        gateway = start(tmp_path, key)
        await listening(gateway)
        assert 200 == (await gateway.send(gateway.chat()))[0]
        asked = len(vault.requests)
        vault.waits_s = 60
        while len(vault.requests) == asked:
            await asyncio.sleep(0.02)
        gateway.process.terminate()
        assert 0 == await gateway.ended(TIMEOUT_S + 5)
        assert "Traceback" not in gateway.log


@pytest.mark.asyncio
async def test_without_its_store_a_gateway_does_not_start(tmp_path, vault):
    """One line says which setting, which secret and why; the check says the same."""
    async with Double([OK]) as vendor:
        await prepare(tmp_path, text_for(vendor))
    vault.fails = 503
    line = f"api_key names the secret {REFERENCE}, which Vault at {vault.address} cannot give: VaultDown"
    for command in ("serve", "check"):
        code, said = await run(tmp_path, command)
        assert 1 == code
        assert line in said
        assert "Traceback" not in said
    vault.fails = 0
    assert "ok      catalogue: 1 channel, 1 model" in (await run(tmp_path, "check"))[1]
