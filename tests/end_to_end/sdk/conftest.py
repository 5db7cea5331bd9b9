"""One gateway process in front of one scripted vendor, and the official SDKs pointed at it."""

import pytest

from end_to_end.sdk.clients import Wire, anthropic_at, google_at, openai_at
from end_to_end.sdk.engine import engine_behind
from end_to_end.sdk.house import settings
from end_to_end.sdk.scenes import SCENES
from end_to_end.sdk.served import served
from end_to_end.sdk.vendor import Vendor


@pytest.fixture(scope="session")
def vendor():
    """The double behind the gateway."""
    with Vendor(SCENES) as double:
        yield double


@pytest.fixture(scope="session")
def gateway(vendor, tmp_path_factory):
    """`trivium serve`, for as long as this process runs tests."""
    with served(tmp_path_factory.mktemp("gateway"), settings(vendor)) as running:
        yield running


@pytest.fixture(scope="session")
def engine_gateway(tmp_path_factory):
    """`trivium serve` with a real model behind it; one engine for all tests of this process."""
    with engine_behind(tmp_path_factory.mktemp("engine")) as running:
        yield running


@pytest.fixture(scope="session")
def key(gateway):
    """A key for every model."""
    return gateway.key()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item):
    """What the gateway said, below a failed test's report."""
    report = yield
    running = item.funcargs.get("gateway")
    if report.failed and running is not None:
        report.sections.append(("the gateway's log", running.log[-4000:]))
    return report


@pytest.fixture
def wire():
    """The requests that left the SDK."""
    return Wire()


@pytest.fixture
def openai(gateway, key, wire):
    """The official client as its documentation makes it, and an eye on its wire."""
    with openai_at(f"{gateway.origin}/v1", key, wire) as client:
        yield client


@pytest.fixture
def anthropic(gateway, key, wire):
    """The same of Anthropic."""
    with anthropic_at(gateway.origin, key, wire) as client:
        yield client


@pytest.fixture
def genai(gateway, key, wire):
    """The same of Google, where our documentation sends it."""
    with google_at(f"{gateway.origin}/vendorc", key, wire) as client:
        yield client
