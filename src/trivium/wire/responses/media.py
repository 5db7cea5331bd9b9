"""Images, files and sounds in parts of the responses shape, both ways.

Bytes travel as ``data:`` URLs, sounds as bare base64 with a format. Source: OpenAI's API reference
and openai-python 3.52.0, ``ResponseInputImage``, ``ResponseInputFile`` and ``ResponseInputAudio``,
read 2026-11-21.
"""

from typing import Final

from trivium.conversation.parts import Inline, Remote, Source, Stored
from trivium.faults import Fault
from trivium.wire.checks import uncarried, wrong
from trivium.wire.data_url import SOUND_FORMATS, is_data, split, standard

SHAPE: Final = "responses"

_BY_SUFFIX: Final = {
    "pdf": "application/pdf",
    "txt": "text/plain",
    "md": "text/markdown",
    "csv": "text/csv",
    "json": "application/json",
    "html": "text/html",
}
_PDF: Final = "JVBERi"
"""``%PDF-`` in base64."""

_SOUNDS: Final = {"wav": "audio/wav", "mp3": "audio/mpeg"}


def base64_text(text: str, path: str) -> str:
    """Base64 in the standard alphabet with padding. Raises INVALID_VALUE for anything else."""
    found = standard(text)
    if not found:
        raise wrong(path, "be base64")
    return found


def from_url(url: str, path: str, *, name: str | None = None) -> Inline | Remote:
    """What a URL points at: its own bytes, or something to be fetched. Raises INVALID_VALUE."""
    if is_data(url):
        found = split(url)
        if found is None or not found.is_base64 or not found.mime:
            raise wrong(path, "be a data URL such as `data:image/png;base64,...`")
        return Inline(found.mime, base64_text(found.data, path), name)
    if not url[:8].lower().startswith(("https://", "http://")):
        raise wrong(path, "be an http(s) URL or a data URL")
    return Remote(url, None, name)


def from_file_data(text: str, path: str, name: str | None) -> Inline:
    """The bytes of ``file_data``: a data URL, or bare base64 told apart by its name or start."""
    if is_data(text):
        found = from_url(text, path, name=name)
        assert isinstance(found, Inline)
        return found
    suffix = (name or "").rpartition(".")[2].lower()
    mime = _BY_SUFFIX.get(suffix)
    if mime is None:
        mime = "application/pdf" if text.startswith(_PDF) else "application/octet-stream"
    return Inline(mime, base64_text(text, path), name)


def stored(id_: str) -> Stored:
    """A file that was uploaded to the vendor."""
    return Stored(SHAPE, id_)


def from_sound(data: str, form: str, path: str) -> Inline:
    """The bytes of ``input_audio``. Raises INVALID_VALUE."""
    mime = _SOUNDS.get(form)
    if mime is None:
        raise wrong(f"{path}.format", f"be one of {', '.join(_SOUNDS)}")
    return Inline(mime, base64_text(data, f"{path}.data"))


def sound_format(source: Source | None) -> str | None:
    """What ``input_audio`` calls these bytes; ``None`` for what it does not take."""
    return SOUND_FORMATS.get(source.mime) if isinstance(source, Inline) else None


def unresolved(path: str, what: str) -> Fault:
    """The 400 for a reference into a store that this gateway does not have."""
    return uncarried(
        path,
        f"`{path}` refers to {what}, which is not kept here. Send the whole input, and set "
        "`store` to false so that your client does.",
    )
