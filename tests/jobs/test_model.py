"""What a job is to its owner."""

import msgspec
import pytest

from jobs.conftest import ACCOUNT
from trivium.jobs.model import Job, is_too_old, pause_s, poll_after_ms
from trivium.settings.section import JobsSettings as Limits
from trivium.wire.videos.answer import VideoStatus

JOB = Job(
    id="video_1", user_id=3, key_id=1, request_id="r", model="m", account=ACCOUNT,
    upstream_id="up_1", file="files/secret", size="720x1280", seconds=4, prompt="x", created_at=1,
)  # fmt: skip


def test_a_resource_has_nothing_of_the_upstreams():
    """Neither ids nor names."""
    shown = msgspec.json.encode(JOB.resource)
    for hidden in (b"up_1", b"own", b"secret", ACCOUNT.credential.encode() + b'"'):
        assert hidden not in shown


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (VideoStatus.QUEUED, False),
        (VideoStatus.IN_PROGRESS, False),
        (VideoStatus.COMPLETED, True),
        (VideoStatus.FAILED, True),
    ],
)
def test_two_states_are_final(status, expected):
    """The others are not."""
    assert expected is msgspec.structs.replace(JOB, status=status).is_final


@pytest.mark.parametrize(
    ("age", "expected"), [(0, 5), (40, 5), (60, 6), (300, 30), (600, 60), (9999, 60)]
)
def test_pauses_are_a_tenth_of_the_age(age, expected):
    """Between the first and the longest."""
    assert expected == pause_s(age, Limits())


def test_a_pause_is_never_nothing():
    """Whatever an operator sets."""
    assert 1 == pause_s(0, Limits(look_s=0.1))


@pytest.mark.parametrize(("age", "expected"), [(0, 1000), (20, 1000), (60, 3000), (999, 10000)])
def test_owners_are_told_when_to_ask_again(age, expected):
    """In milliseconds, as the SDKs read it."""
    assert expected == poll_after_ms(age)


def test_a_job_has_an_age_limit():
    """A day."""
    assert [False, True] == [is_too_old(age, Limits()) for age in (86_399, 86_400)]
