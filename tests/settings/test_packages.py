"""What the packages that the settings name bring."""

import pytest

from trivium.settings.errors import SettingsError
from trivium.settings.packages import HOOKS, PROVIDERS, brought


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Puts a package with these entry points where imports are looked for."""

    def make(name, entries, code="THING = 1"):
        module = name.replace("-", "_")
        (tmp_path / f"{module}.py").write_text(code)
        info = tmp_path / f"{module}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(entries.format(module=module))
        monkeypatch.syspath_prepend(str(tmp_path))
        return name

    return make


def test_objects_come_by_group_and_in_order(install):
    """Two packages may use one name."""
    one = install("pack-one", "[trivium.hooks]\nmain = {module}:THING\n", "THING = 1")
    two = install(
        "pack-two", "[trivium.hooks]\nmain = {module}:THING\n[trivium.providers]\np = {module}\n"
        "[console_scripts]\nx = {module}:THING\n", "THING = 2",
    )  # fmt: skip
    assert [("main", 2), ("main", 1)] == brought([two, one], HOOKS)
    assert ["p"] == [name for name, _ in brought([two, one], PROVIDERS)]


def test_nothing_listed_loads_nothing():
    """However many are installed."""
    assert [] == brought((), PROVIDERS)


@pytest.mark.parametrize(
    ("entries", "code", "said"),
    [
        ("", "", "brings neither provider nor hook"),
        ("[trivium.hooks]\na = {module}:THING\n", "raise OSError('no disk')", "OSError: no disk"),
        ("[trivium.hooks]\na = {module}:NONE\n", "", "cannot be loaded: AttributeError"),
    ],
)
def test_a_package_that_cannot_be_used_is_named(install, entries, code, said):
    """With the reason, all of them at once."""
    name = install(f"pack-{len(said)}", entries, code)
    with pytest.raises(SettingsError, match=said) as caught:
        brought([name, "pack-nowhere"], HOOKS)
    assert any('"pack-nowhere", which is not installed' in line for line in caught.value.lines)


def test_a_name_that_is_none_is_not_installed():
    """An empty one finds no package."""
    with pytest.raises(SettingsError, match="not installed"):
        brought([""], HOOKS)
