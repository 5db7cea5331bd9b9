"""What the file has, for people: with its lines and without its secrets."""

from pathlib import Path

from trivium.catalogue.file_entries import file_entries
from trivium.settings.load import parsed
from trivium.settings.memory import ReadMemory

TEXT = """\
[routing]
repeats = 1
[groups]
students = "0.8"
[[channels]]
name = "main"
provider = "openai"
api_keys = ["sk-canary-1234", "env:KEY", "short"]
proxy = "http://u:canary-12@127.0.0.1:1"
headers = { x-a = "canary-header" }
[[models]]
name = "m"
free = true
bindings = [{ channel = "main" }]
"""


def test_entries_have_their_lines_and_no_secret(tmp_path):
    """References are shown, of what stands there itself the last characters."""
    path = tmp_path / "t.toml"
    path.write_text(TEXT)
    found = list(file_entries(parsed(path, ReadMemory()), Path("t.toml")))
    assert [
        ("channel", "main", "t.toml:5"),
        ("model", "m", "t.toml:11"),
        ("group", "students", "t.toml:4"),
        ("routing", "routing", "t.toml:1"),
    ] == [(each.at.kind, each.at.name, each.place) for each in found]
    channel = found[0].document
    assert ["…1234", "env:KEY", "…"] == channel["api_keys"]
    assert ("…:1", {"x-a": "…ader"}) == (
        channel["proxy"][:1] + channel["proxy"][-2:],
        channel["headers"],
    )
    assert "canary" not in repr([each.document for each in found])
    assert ("0.8", {"repeats": 1}) == (found[2].document, found[3].document)


def test_without_a_file_there_is_nothing():
    """As when it is empty."""
    assert [] == list(file_entries(None, None))
    assert [] == list(file_entries(parsed(None, ReadMemory()), None))
