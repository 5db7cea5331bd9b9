"""Real coding agents, as they are published, work through a gateway in front of another shape.

`make agents` installs and runs them; they are 700 MB, so `make check` does not.
"""

import asyncio
import json
import os
import shutil
from pathlib import Path

import pytest

from agents.vendor import WORD, Chat, Messages, Vendor
from end_to_end.running import prepare, start

HERE = Path(__file__).parent
BIN = HERE / "node_modules" / ".bin"
ASK = "Use the shell to say a word, then tell me what it said."
LIMIT_S = 110


def settings(vendor):
    """One model under the names that the agents ask for."""
    base = f"http://127.0.0.1:{vendor.port}" + ("/v1" if vendor.shape is Chat else "")
    channel = f'[[channels]]\nname = "main"\nprovider = "{vendor.shape.provider}"\n'
    channel += f'api_key = "sk-vendor"\nbase_url = "{base}"\n'
    names = ("agent-model", "gemini-2.5-pro", "gemini-2.5-flash", "gemini-2.5-flash-lite")
    models = [
        f'[[models]]\nname = "{name}"\nfree = true\n'
        f'bindings = [{{ channel = "main", shape = "{vendor.shape.name}" }}]\n'
        for name in names
    ]
    return '[server]\nlisten = "127.0.0.1:0"\n' + channel + "".join(models)


def codex(home, origin, key):
    """Codex CLI speaks responses."""
    folder = home / ".codex"
    folder.mkdir()
    (folder / "config.toml").write_text(
        'model = "agent-model"\nmodel_provider = "trivium"\n[model_providers.trivium]\n'
        f'name = "Trivium"\nbase_url = "{origin}/v1"\nenv_key = "KEY"\nwire_api = "responses"\n'
    )
    flags = ["--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"]
    return [BIN / "codex", "exec", *flags, ASK], {"KEY": key}


def gemini(home, origin, key):
    """Gemini CLI speaks generate-content."""
    folder = home / ".gemini"
    folder.mkdir()
    own = {
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "privacy": {"usageStatisticsEnabled": False},
    }
    (folder / "settings.json").write_text(json.dumps(own))
    flags = ["--skip-trust", "-m", "gemini-2.5-pro", "-y", "-p", ASK]
    return [BIN / "gemini", *flags], {
        "GEMINI_API_KEY": key,
        "GOOGLE_GEMINI_BASE_URL": f"{origin}/gemini",
    }


def opencode(home, origin, key):
    """opencode speaks chat through the AI SDK."""
    options = {"baseURL": f"{origin}/v1", "apiKey": key}
    own = {
        "autoupdate": False,
        "provider": {
            "trivium": {
                "npm": "@ai-sdk/openai-compatible",
                "options": options,
                "models": {"agent-model": {"name": "agent"}},
            }
        },
        "small_model": "trivium/agent-model",
        "permission": {"bash": "allow"},
    }
    (home / "work" / "opencode.json").write_text(json.dumps(own))
    # its install script would copy the program of this platform; it runs from where it lies
    found = sorted((HERE / "node_modules").glob("opencode-*/bin/opencode"))
    programs = [one for one in found if one.parent.parent.name != "opencode-ai"]
    return [programs[0], "run", "-m", "trivium/agent-model", ASK], {}


def claude(home, origin, key):
    """Claude Code speaks messages. It is no free software: only where it is installed anyway."""
    del home
    program = shutil.which("claude")
    if program is None:
        pytest.skip("no `claude` on the path")
    return [program, "-p", ASK, "--allowedTools", "Bash"], {
        "ANTHROPIC_BASE_URL": origin,
        "ANTHROPIC_AUTH_TOKEN": key,
        "ANTHROPIC_MODEL": "agent-model",
        "ANTHROPIC_SMALL_FAST_MODEL": "agent-model",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
    }


@pytest.mark.asyncio
@pytest.mark.slow
@pytest.mark.agents
@pytest.mark.timeout(180)
@pytest.mark.parametrize("shape", [Chat, Messages], ids=["chat", "messages"])
@pytest.mark.parametrize("agent", [codex, gemini, opencode, claude], ids=lambda one: one.__name__)
async def test_an_agent_works_through_the_gateway(agent, shape, tmp_path):
    """Its tools arrive, its shell is called, the result comes back, and it says so."""
    if not BIN.is_dir() and agent is not claude:
        pytest.skip("not installed: make agents")
    home = tmp_path / "home"
    (home / "work").mkdir(parents=True)
    async with Vendor(shape) as vendor:
        key = await prepare(tmp_path, settings(vendor))
        gateway = start(tmp_path, key)
        try:
            while not gateway.origins:
                assert gateway.process.poll() is None, gateway.log
                await asyncio.sleep(0.02)
            argv, own = agent(home, gateway.origins[0], key)
            environ = {"PATH": os.environ["PATH"], "HOME": str(home), "NO_COLOR": "1", **own}
            process = await asyncio.create_subprocess_exec(
                *argv, cwd=home / "work", env=environ, stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
            )  # fmt: skip
            try:
                said, _ = await asyncio.wait_for(process.communicate(), LIMIT_S)
            finally:
                if process.returncode is None:
                    process.kill()
        finally:
            gateway.process.terminate()
            gateway.process.wait(30)
    text = said.decode(errors="replace")
    assert 0 == process.returncode, text[-3000:]
    assert "It said" in text, text[-3000:]
    results = [found for body in vendor.bodies if (found := shape.result(body)) is not None]
    assert results, "no result of the shell came back"
    assert WORD in results[-1]
