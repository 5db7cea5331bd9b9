"""The demo's folder is private, survives a restart, and keeps what an operator adds."""

import stat
import tomllib

import pytest

from trivium.demo.home import MARK, Home, HomeError
from trivium.settings.load import load

ADDRESS = "http://127.0.0.1:41234"


@pytest.fixture
def home(tmp_path):
    """A folder after its first start."""
    made = Home(tmp_path / "demo")
    made.prepare("127.0.0.1:8080")
    made.point_at(ADDRESS, "engine-key")
    return made


def test_the_settings_are_ones_the_gateway_takes(home):
    """Nothing in the file is refused, and all of it lies in the folder."""
    settings = load(home.config, {})
    assert settings.server.listen == "127.0.0.1:8080"
    assert settings.storage.url == f"sqlite:///{home.folder}/trivium.db"
    assert settings.storage.journal == f"{home.folder}/journal"
    (channel,), (model,) = settings.channels, settings.models
    assert (channel.provider, channel.base_url) == ("llamacpp", f"{ADDRESS}/v1")
    assert (model.name, model.free, model.bindings[0].channel) == ("smollm2", True, channel.name)


def test_all_of_it_is_its_owners_alone(home):
    """The folder holds keys."""
    home.keep_key("sk-gateway-x")
    assert stat.S_IMODE(home.folder.stat().st_mode) == 0o700
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in home.folder.iterdir()}
    assert dict.fromkeys(("trivium.toml", "engine.key", "key"), 0o600) == modes


def test_the_engines_key_stands_in_a_file_of_its_own(home):
    """Settings are shown to people; keys are not."""
    assert "engine-key" not in home.config.read_text()
    assert home.engine_key_file.read_text() == "engine-key"


def test_a_second_start_keeps_what_was_added(home):
    """Only the engine's address changes."""
    before = home.config.read_text() + "# mine\n"
    home.config.write_text(before)
    again = Home(home.folder)
    again.prepare("0.0.0.0:9999")
    again.point_at("http://127.0.0.1:5", "other")
    assert before.replace(ADDRESS, "http://127.0.0.1:5") == home.config.read_text()


def test_the_key_of_the_first_start_is_found_again(home):
    """It can be shown at every start."""
    assert home.key() is None
    home.keep_key("sk-gateway-x")
    assert Home(home.folder).key() == "sk-gateway-x"


def test_a_file_without_the_engines_line_is_refused(home):
    """The demo does not guess where to write."""
    home.config.write_text(home.config.read_text().replace(MARK, ""))
    with pytest.raises(HomeError, match=r"trivium\.toml: the line that ends in"):
        home.point_at(ADDRESS, "key")


@pytest.mark.parametrize("name", ['quo"te', "back\\slash", "späce d"])
def test_odd_folder_names_are_written_right(tmp_path, name):
    """A path is quoted as TOML wants it."""
    made = Home(tmp_path / name)
    made.prepare("127.0.0.1:8080")
    storage = tomllib.loads(made.config.read_text())["storage"]
    assert storage["journal"] == str(tmp_path / name / "journal")


def test_a_folder_is_one_demos_at_a_time(home):
    """A second one would lead the first one's gateway to an engine that is soon gone."""
    another = Home(home.folder)
    refused = pytest.raises(HomeError, match=r"a demo runs in this folder already.*--dir")
    with home.alone(), refused, another.alone():
        pytest.fail("two demos in one folder")
    with another.alone():
        pass


@pytest.mark.parametrize("name", ["file/demo", "what?"])
def test_a_folder_that_cannot_be_is_refused_by_name(tmp_path, name):
    """One readable line, before anything is downloaded or started."""
    (tmp_path / "file").write_text("")
    with pytest.raises(HomeError, match=str(tmp_path).replace("?", r"\?")):
        Home(tmp_path / name).prepare("127.0.0.1:8080")


def test_speech_is_added_once_and_found_again(home):
    """Its channel and two models at the first start; later only the address changes."""
    home.speak_at("http://127.0.0.1:5", "speech-key")
    home.speak_at("http://127.0.0.1:6", "another-key")
    settings = load(home.config, {})
    assert ["local", "speech"] == [channel.name for channel in settings.channels]
    assert "http://127.0.0.1:6/v1" == settings.channels[1].base_url
    assert {"hibari", "whisper-tiny-en"} < {model.name for model in settings.models}
    assert "another-key" == home.speech_key_file.read_text()
