"""Members of a chat message beside its text: attachments, sound and pictures."""

from trivium.conversation.opaque import SIGNATURE, Opaque, StateOrigin
from trivium.conversation.parts import Audio, Image, Inline, Remote, Stored
from trivium.wire.chat.read_answer_parts import (
    ENCRYPTED,
    audio_members,
    details,
    extra,
    image_member,
)

OPAQUE = (Opaque(SIGNATURE, b"s", StateOrigin("messages", "anthropic", "main")),)


def sealed(_):
    return "ENVELOPE"


def test_an_attachment_of_reasoning_says_which_stretch_it_belongs_to():
    """A signature holds for the exact part."""
    assert {"type": ENCRYPTED, "data": "ENVELOPE", "start": 3, "length": 5} == details(
        OPAQUE, (3, 5), sealed
    )
    assert details((), (0, 0), sealed) is None
    assert details(OPAQUE, (0, 0), lambda _: "") is None


def test_an_attachment_of_a_call_goes_where_clients_echo_it():
    """Google's member, which its own endpoint uses for the same."""
    assert {"google": {"thought_signature": "ENVELOPE"}} == extra(OPAQUE, sealed)
    assert extra((), sealed) is None


def test_sound_has_its_members_always():
    """The time it expires only where it is known."""
    assert {"id": "", "data": "", "transcript": "Hi"} == audio_members(Audio(None, "Hi"))
    full = Audio(Inline("audio/wav", "AAAA"), "Hi", "a1", 5)
    assert {"id": "a1", "data": "AAAA", "transcript": "Hi", "expires_at": 5} == audio_members(full)


def test_a_picture_is_an_address_or_a_data_url():
    """A vendor's file id means nothing to the caller."""
    assert (
        "data:image/png;base64,AAAA"
        == image_member(Image(Inline("image/png", "AAAA")))["image_url"]["url"]
    )
    assert "https://x/y" == image_member(Image(Remote("https://x/y")))["image_url"]["url"]
    assert image_member(Image(Stored("chat", "f"))) is None
