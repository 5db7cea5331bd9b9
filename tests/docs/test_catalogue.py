"""What the page of the catalogue prints is what happens: from a file without channels and a database
without users' money to a bill, by HTTP alone.
"""

import asyncio
import os
import re
import subprocess
from pathlib import Path

import docs_commands
import pytest

from docs import prepared
from docs.test_teams import pattern
from end_to_end.running import listening, prepare, start
from end_to_end.test_admin_api import administrator

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "api" / "catalogue.md"
SETTINGS = """\
[server]
listen = "127.0.0.1:0"
drain_notice_s = 0
[records]
flush_s = 0.1
"""


def steps():
    """Every command of the page with its answer, in turn."""
    for block in docs_commands.blocks("docs/api/catalogue.md", PAGE.read_text(encoding="utf-8")):
        if block.is_shell:
            yield from (
                (f"{block.where}: {command}", command, said) for command, said in block.steps()
            )


@pytest.mark.asyncio
@pytest.mark.timeout(120)
async def test_the_page_of_the_catalogue_prints_what_happens(tmp_path):
    """Each command, with what it answers."""
    await prepare(tmp_path, SETTINGS)
    gateway = start(tmp_path, None)
    found, key = list(steps()), ""
    assert len(found) > 18
    try:
        await listening(gateway)
        # on the page the administrator is user 1; here `prepare` has made another before
        root, token = await administrator(tmp_path)
        environ = os.environ | {
            "ADMIN": f"http://127.0.0.1:{gateway.port}/api/admin",
            "AUTH": f"Authorization: Bearer {token}",
            "JSON": "Content-Type: application/json",
        }
        with prepared.vendor() as vendor:
            account = f'"provider": "openai", "base_url": "{vendor.origin}/v1"'
            for where, command, answer in found:
                told = prepared.localized(command, tmp_path, gateway.port)
                told = told.replace('"provider": "openai"', account).replace("sk-gateway-…", key)
                done = await asyncio.to_thread(
                    subprocess.run, ["bash", "-c", told], capture_output=True, text=True,
                    check=True, env=environ,
                )  # fmt: skip
                said = done.stdout
                key = (re.findall(r"sk-gateway-[\w-]+", said) or [key])[-1]
                if "chat/completions" in told:
                    await asyncio.sleep(1.5)  # what was used is booked within a second
                expected = answer.replace('"updated_by":1', f'"updated_by":{root}')
                expected = expected.replace('"user_id":1,', f'"user_id":{root},')
                expected = expected.replace("by user 1 at", f"by user {root} at")
                right = re.fullmatch(pattern(expected), said.strip(), re.DOTALL)
                assert right, f"{where} answers\n{said}\nand not\n{answer}"
    finally:
        gateway.process.terminate()
        await gateway.ended()
