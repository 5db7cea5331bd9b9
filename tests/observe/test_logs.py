"""Lines that machines or people read, from us and from libraries, and never an exception."""

import io
import logging

import msgspec
import pytest
import structlog

from trivium.observe import logs

KEY = "sk-gateway-0123456789abcdef"


@pytest.fixture(autouse=True)
def put_back():
    """Leave structlog and logging as they were."""
    root = logging.getLogger()
    before = root.handlers[:], root.level
    yield
    root.handlers[:], level = before[0], before[1]
    root.setLevel(level)
    structlog.reset_defaults()


class Terminal(io.StringIO):
    def isatty(self):
        return True


def lines(stream):
    return [msgspec.json.decode(line) for line in stream.getvalue().splitlines()]


def test_json_is_one_object_a_line():
    """Time, level and event first; fields as they are."""
    stream = io.StringIO()
    logs.setup("info", "json", stream)
    structlog.get_logger().info("channel_opened", channel="a", attempts=2)
    [line] = lines(stream)
    assert ["at", "level", "event", "channel", "attempts"] == list(line)
    assert ("info", "channel_opened", "a", 2) == tuple(line.values())[1:]
    assert line["at"].endswith("Z")


@pytest.mark.parametrize(
    ("form", "stream", "is_json"),
    [
        ("auto", io.StringIO, True),
        ("auto", Terminal, False),
        ("text", io.StringIO, False),
        ("json", Terminal, True),
    ],
)
def test_auto_is_text_on_a_terminal(form, stream, is_json):
    """And machines get JSON."""
    stream = stream()
    logs.setup("info", form, stream)
    structlog.get_logger().info("started")
    assert is_json == stream.getvalue().startswith("{")


def test_text_cannot_be_forged():
    """A value with line ends or terminal sequences stays one readable line."""
    stream = io.StringIO()
    logs.setup("info", "text", stream)
    structlog.get_logger().info("refused", model="x\nevil\x1b[2J\u2028\x9b", other="a b", n=1)
    [line] = stream.getvalue().splitlines()
    assert line.endswith(r"refused model='x\nevil\x1b[2J\u2028\x9b' other='a b' n=1")


@pytest.mark.parametrize("form", ["json", "text"])
def test_credentials_are_masked_everywhere(form):
    """In fields, in messages of libraries, and in tracebacks."""
    stream = io.StringIO()
    logs.setup("info", form, stream)
    structlog.get_logger().info("a", note=f"got {KEY}")
    logging.getLogger("lib").error("got %s", KEY)
    try:
        raise ValueError(KEY)
    except ValueError:
        structlog.get_logger().exception("b")
        logging.getLogger("lib").exception("c")
    assert KEY not in stream.getvalue()
    assert 4 <= stream.getvalue().count("sk-***")
    assert 2 == stream.getvalue().count("Traceback")


def test_tracebacks_are_indented_in_text():
    """A line that begins with a time is always an event."""
    stream = io.StringIO()
    logs.setup("info", "text", stream)
    try:
        raise ValueError("x\n2026-01-01T00:00:00Z info forged\x1b[2J")
    except ValueError:
        structlog.get_logger().exception("failed")
    first, *rest = stream.getvalue().splitlines()
    assert first.endswith("failed")
    assert rest
    assert all(line.startswith("  ") for line in rest)
    assert "\x1b" not in stream.getvalue()


@pytest.mark.parametrize(
    ("level", "events"),
    [
        ("debug", ["debug", "info", "warning", "error"]),
        ("warning", ["warning", "error"]),
        ("critical", []),
    ],
)
def test_lower_levels_are_left_out(level, events):
    """The setting is a floor."""
    stream = io.StringIO()
    logs.setup(level, "json", stream)
    log = structlog.get_logger()
    for name in ("debug", "info", "warning", "error"):
        getattr(log, name)(name)
    assert events == [line["event"] for line in lines(stream)]


def test_libraries_are_heard_from_warning_on():
    """Their notes are not ours; odd levels and broken formats are no problem."""
    logging.getLogger().handlers.clear()  # pytest's own would complain about the broken format
    stream = io.StringIO()
    logs.setup("debug", "json", stream)
    library = logging.getLogger("lib")
    library.info("chatter")
    library.warning("careful %d", 3)
    library.log(35, "odd")
    library.error("%d", "no number")
    assert [
        ("library", "lib", "careful 3"),
        ("library", "lib", "odd"),
        ("library", "lib", "%d"),
    ] == [(line["event"], line["logger"], line["message"]) for line in lines(stream)]


def test_a_second_setup_replaces_the_first():
    """Loggers that were made and used before follow, and nothing is written twice."""
    first, second = io.StringIO(), io.StringIO()
    log = structlog.get_logger()
    logs.setup("info", "json", first)
    log.info("one")
    logs.setup("info", "json", second)
    log.info("two")
    logging.getLogger("lib").error("three")
    assert (["one"], ["two", "library"]) == tuple(
        [line["event"] for line in lines(stream)] for stream in (first, second)
    )


@pytest.mark.parametrize("error", [BrokenPipeError, OSError, ValueError])
def test_a_stream_that_is_gone_fails_nothing(error):
    """A request does not fail because standard error was closed."""

    class Gone(io.StringIO):
        def write(self, text):
            raise error

        def flush(self):
            raise error

    logs.setup("info", "json", Gone())
    structlog.get_logger().info("unheard")
    logging.getLogger("lib").error("unheard")


@pytest.mark.parametrize(
    ("level", "form", "says"),
    [("loud", "json", r"logs\.level.*debug"), ("info", "xml", r"logs\.format.*auto")],
)
def test_another_word_is_refused(level, form, says):
    """The message names the setting and what would be right."""
    with pytest.raises(ValueError, match=says):
        logs.setup(level, form, io.StringIO())


def test_they_are_muted_without_a_log_as_well():
    """A command line sets none up, and what nobody handles goes to standard error."""
    logging.getLogger("azure").setLevel(logging.NOTSET)
    logs.mute()
    assert not logging.getLogger("azure.identity").isEnabledFor(logging.ERROR)


def test_libraries_that_find_identities_are_not_heard():
    """They print what token services answer, and some answer with what they were sent."""
    stream = io.StringIO()
    logs.setup("debug", "json", stream)
    logging.getLogger("azure.identity._internal").warning("client_secret=s3cr3t")
    logging.getLogger("google.auth.compute_engine").error("Bearer t")
    logging.getLogger("msal").warning("x")
    logging.getLogger("azurelike").warning("heard")
    assert ["heard"] == [line["message"] for line in lines(stream)]
