"""What is known of an entry is known of the object itself."""

from trivium.settings.entries import ModelEntry
from trivium.settings.memory import ReadMemory

ENTRY = ModelEntry(name="m", free=True)


def test_only_the_very_same_table_is_known():
    """An equal one was not read: it may have been made since, of another line."""
    memory, raw = ReadMemory(), {"name": "m"}
    assert None is memory.find(raw)
    memory.keep(raw, ENTRY)
    assert ENTRY is memory.find(raw)
    assert None is memory.find({"name": "m"})


def test_what_no_reading_used_is_forgotten():
    """With what was found of it, so that no later object is taken for it."""
    memory, raw = ReadMemory(), {"name": "m"}
    memory.keep(raw, ENTRY)
    memory.sound(ENTRY)
    assert memory.is_sound(ENTRY)
    assert not memory.is_sound(ModelEntry(name="m", free=True))
    memory.forget_unused()
    assert ENTRY is memory.find(raw)
    memory.forget_unused()
    assert memory.is_sound(ENTRY)
    memory.forget_unused()
    assert None is memory.find(raw)
    assert not memory.is_sound(ENTRY)
