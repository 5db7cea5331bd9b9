"""What a request refers to and does not hold: files, videos, pages, pictures, cached prompts.

Of those the body has an address or a name of some bytes, and the vendor reads, and bills, all that
lies there. Found are the members by which the four shapes refer; a text cannot hold them, as its
quotes are escaped. A call's own arguments may: then the bound is higher than it need be.
"""

import re
from typing import Final

from trivium.wire.operation import Shape

PICTURE_TOKENS: Final = 5_000
"""A picture at most, whatever its size: Anthropic's largest are 4,784 tokens, Google's 16 squares
of 258, OpenAI's 8 of 170 and 85 (the vendors' pages on vision, read 2026-11-21)."""
ANYTHING: Final = 2**40
"""Tokens of what may be as long as the model's context: whoever quotes cuts it down to that."""

_FILE_ID: Final = (b'"file_', re.compile(rb'"file_(?:id|url)"\s*+:\s*+"(?!data:)[^"]'))
_CACHED: Final = (b'"cached', re.compile(rb'"cached_?content"\s*+:\s*+"[^"]', re.IGNORECASE))
_CONTAINER: Final = (b'"container"', re.compile(rb'"container"\s*+:\s*+(?:"[^"]|\{\s*+"id")'))
_PROMPT: Final = (b'"prompt"', re.compile(rb'"prompt"\s*+:\s*+\{\s*+"(?:id|version|variables)"'))
_BUCKET: Final = (b'"s3Location"', re.compile(rb'"s3Location"\s*+:\s*+\{'))
_FILM: Final = (
    b'_url"',
    re.compile(rb'"(?:video|audio)_url"\s*+:\s*+(?!"data:|\{\s*+"url"\s*+:\s*+"data:)["{]'),
)
_PLACES: Final = {
    Shape.CHAT: (_FILE_ID,),
    Shape.RESPONSES: (_FILE_ID, _PROMPT, _CONTAINER),
    Shape.MESSAGES: (_FILE_ID, _CONTAINER),
    Shape.GENERATE: (_CACHED,),
    Shape.CONVERSE: (_BUCKET,),
}
"""A word that is searched for, and what it must be a part of: names of anything at all."""
_FILES: Final = b'"file'
_FILE: Final = re.compile(rb'"file_?uri"\s*+:\s*+"[^"]', re.IGNORECASE)
_PICTURE_FILE: Final = re.compile(
    rb'"mime_?type"\s*+:\s*+"image/[^"]*+"\s*+,\s*+"file_?uri"\s*+:'
    rb'|"file_?uri"\s*+:\s*+"[^"]*+"\s*+,\s*+"mime_?type"\s*+:\s*+"image/',
    re.IGNORECASE,
)
_URL: Final = b'url"'
_REMOTE: Final = re.compile(rb'"(?:image_)?url"\s*+:\s*+"(?!data:)[^"]')
"""The address of a picture; in messages, of a document as well."""
_DOCUMENT: Final = b'"document"'
ESCAPE: Final = b"\\u00"
_ESCAPED: Final = re.compile(
    rb"(?<!\\)(?:\\\\)*+\\u00(?:4[1-9a-f]|5[0-9af]|6[1-9a-f]|7[0-9a])", re.IGNORECASE
)
"""A letter or an underscore of ASCII written as an escape, which no encoder does: whoever writes
``ur\\u006c`` for ``url`` hides what the body refers to."""


def tokens(body: bytes, shape: Shape) -> int:
    """Input tokens that what a body of this shape refers to may come to at most."""
    hidden = body.rfind(ESCAPE) >= 0 and _ESCAPED.search(body) is not None
    return ANYTHING if hidden else _named(body, shape)


def _named(body: bytes, shape: Shape) -> int:
    """The same of a body that hides no name."""
    # HOT: a word is looked for before its pattern: 7.7 -> 1.4 us for 4 KB
    # (2026-11-24, bench/hot.py --case refer.chat.words)
    for word, place in _PLACES.get(shape, ()):
        if body.rfind(word) >= 0 and place.search(body) is not None:
            return ANYTHING
    if shape is Shape.GENERATE:
        return _files(body) if body.rfind(_FILES) >= 0 else 0
    # of Amazon's shape whatever else there is is in the body
    if shape is Shape.CONVERSE or body.rfind(_URL) < 0:
        return 0
    word, place = _FILM
    if shape is Shape.CHAT and body.rfind(word) >= 0 and place.search(body) is not None:
        return ANYTHING
    pictures = len(_REMOTE.findall(body))
    if pictures and shape is Shape.MESSAGES and body.find(_DOCUMENT) >= 0:
        return ANYTHING
    return PICTURE_TOKENS * pictures


def _files(body: bytes) -> int:
    """Of Google's files, of which the body says what kind they are."""
    pictures = len(_PICTURE_FILE.findall(body))
    return ANYTHING if pictures < len(_FILE.findall(body)) else PICTURE_TOKENS * pictures
