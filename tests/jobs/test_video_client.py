"""The account that makes a job is asked, and no other."""

from types import SimpleNamespace

import msgspec
import pytest

from trivium.faults import Fault, Kind
from trivium.jobs.video_client import VideoClient, account_of, cleaned, refused, upstream_video
from trivium.providers.registry import PROVIDERS
from trivium.routing import catalogue
from trivium.wire.operation import Operation
from trivium.wire.videos.answer import SeenVideo, VideoStatus
from video_gateway import settings_for
from video_vendor import Films

KEYS = ["sk-one-0123456789abcdef01", "sk-two-0123456789abcdef02"]


def channels(*args, **more):
    return catalogue.build(settings_for(*args, **more), PROVIDERS).channels


def video_client(found):
    return VideoClient(None, None, found.get, None)


def test_a_key_is_found_wherever_it_stands():
    """What is remembered of it is what it is."""
    vendor = SimpleNamespace(port=1)
    one = channels(("a", "openai", vendor, KEYS))
    accounts = [account_of(one["a"], index, Operation.VIDEOS, "own") for index in (0, 1)]
    assert accounts[0].credential != accounts[1].credential
    assert KEYS[0] not in str(accounts)
    turned = video_client(channels(("a", "openai", vendor, KEYS[::-1])))
    assert [1, 0] == [turned.locate(account)[1] for account in accounts]


def test_the_same_key_at_another_channel_is_another_account():
    """Channels are accounts, whatever key they have."""
    vendor = SimpleNamespace(port=1)
    found = channels(("a", "openai", vendor, KEYS), ("b", "openai", vendor, KEYS))
    one, other = (account_of(found[name], 0, Operation.VIDEOS, "own") for name in "ab")
    assert one.credential != other.credential


def test_a_channel_without_keys_is_found_by_its_name():
    """Engines of one's own."""
    found = channels(("a", "vllm-omni", SimpleNamespace(port=1), []))
    account = account_of(found["a"], 0, Operation.VIDEOS, "own")
    assert "" == account.credential
    assert (found["a"], 0) == video_client(found).locate(account)


@pytest.mark.parametrize(
    "other",
    [
        {}, channels(("b", "openai", SimpleNamespace(port=1), KEYS)),
        channels(("a", "openai", SimpleNamespace(port=1), ["sk-other-0123456789"])),
        channels(("a", "openai-compatible", SimpleNamespace(port=1), [])),
        channels(("a", "gemini", SimpleNamespace(port=1), KEYS)),
    ],
)  # fmt: skip
def test_an_account_that_is_gone_is_said_to_be(other):
    """No SDK is to repeat that."""
    found = channels(("a", "openai", SimpleNamespace(port=1), KEYS))
    account = account_of(found["a"], 1, Operation.VIDEOS, "own")
    with pytest.raises(Fault) as caught:
        video_client(other).locate(account)
    fault = caught.value
    assert (Kind.NO_ROUTE, "video_account_removed", False) == (fault.kind, fault.code, fault.retry)


def test_a_videos_path_is_the_providers_own():
    """Of the operation that made it."""
    found = channels(("a", "gemini", SimpleNamespace(port=1), KEYS))
    account = account_of(found["a"], 0, Operation.GENERATE_VIDEO, "own")
    job = SimpleNamespace(account=account, upstream_id=None, file="files/x")
    told = upstream_video(job, found["a"])
    assert ("/v1beta/models/{model}:predictLongRunning", "", "files/x") == (
        told.served, told.id, told.file,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (404, Kind.NOT_FOUND),
        (410, Kind.NOT_FOUND),
        (401, Kind.UPSTREAM_CREDENTIAL),
        (500, Kind.UPSTREAM_BROKE),
    ],
)
def test_a_refusal_of_a_video_is_understood(status, kind):
    """A 404 is about the video, where elsewhere it is about the model."""
    found = channels(("a", "openai", SimpleNamespace(port=1), KEYS))
    assert kind is refused(found["a"], status, {}, b'{"error": {"message": "x"}}').kind


def test_an_upstreams_words_are_cleaned():
    """Codes are words, texts tell nothing of the account."""
    seen = SeenVideo(
        id="v", status=VideoStatus.FAILED, error_code="a b<script>", error_message="See https://x.internal/y please"
    )  # fmt: skip
    told = cleaned(seen)
    assert "" == told.error_code
    assert "x.internal" not in told.error_message
    fine = msgspec.structs.replace(seen, error_code="moderation_blocked")
    assert "moderation_blocked" == cleaned(fine).error_code


@pytest.mark.asyncio
async def test_what_went_out_and_was_not_answered_is_unsure(sqlite_database):
    """Refused or unreachable is something else: that was not begun."""
    from video_gateway import House

    async with Films(KEYS) as vendor:
        channel = ("a", "openai", vendor, KEYS)
        async with House.on(sqlite_database, channel) as house:
            found = house.channel("a")
            asker = house.video_services.video_client
            from trivium.providers.videos.protocol import VendorCall

            vendor_call = VendorCall(method="POST", path="/videos", body=b"{}")
            vendor.drop.add("POST")
            kinds = []
            for knob in ("drop", "refuse"):
                if knob == "refuse":
                    vendor.drop.clear()
                    vendor.refuse["POST"] = 503
                with pytest.raises(Fault) as caught:
                    await asker.order(found, 0, vendor_call)
                kinds.append(caught.value.kind)
            assert [Kind.UPSTREAM_UNSURE, Kind.UPSTREAM_OVERLOADED] == kinds
