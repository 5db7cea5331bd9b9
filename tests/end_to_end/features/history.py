"""What is said: text, media, instructions, earlier turns. See ``asking.py``."""

from end_to_end.features.asking import (
    IMAGE_URL,
    PDF,
    PNG,
    WAV,
    WRITTEN,
    Asking,
    asked,
    cached,
    middle,
    said,
)

SYSTEM = {"chat": "system", "responses": "instructions", "messages": "system"}
DATA_URL = f"data:image/png;base64,{PNG}"
DATA_PDF = f"data:application/pdf;base64,{PDF}"
_THOUGHT = [
    {"type": "thinking", "thinking": "Hm.", "signature": "c2lnbmF0dXJl"},
    {"type": "text", "text": "Hi."},
]


def _system(shape):
    if shape in ("chat", "cohere"):
        return said(shape, ("system", "Be kind."), ("user", "Hello"))
    if shape == "generate":
        slot = {"systemInstruction": {"parts": [{"text": "Be kind."}]}}
    else:
        slot = {SYSTEM[shape]: "Be kind."}
    return said(shape, ("user", "Hello"), **slot)


def _texts(shape):
    kind = {"responses": "input_text"}.get(shape, "text")
    words = ("One.", "Two.")
    if shape == "generate":
        return said(shape, ("user", [{"text": word} for word in words]))
    return said(shape, ("user", [{"type": kind, "text": word} for word in words]))


def _thought():
    """An earlier turn with reasoning that no envelope of ours holds."""
    return {
        "chat": said("chat", ("user", "Hello"), ("assistant", "Hi."), ("user", "Go on."))
        | {
            "messages": [
                {"role": "user", "content": "Hello"},
                {"role": "assistant", "content": "Hi.", "reasoning_content": "Hm."},
                {"role": "user", "content": "Go on."},
            ]
        },
        "responses": said("responses")
        | {
            "input": [
                {"role": "user", "content": "Hello"},
                {
                    "type": "reasoning",
                    "id": "rs_1",
                    "summary": [{"type": "summary_text", "text": "Hm."}],
                    "encrypted_content": "Z0FBQUFB",
                },
                {"role": "assistant", "content": "Hi."},
                {"role": "user", "content": "Go on."},
            ]
        },
        "messages": said(
            "messages", ("user", "Hello"), ("assistant", _THOUGHT), ("user", "Go on.")
        ),
        "generate": said(
            "generate",
            ("user", "Hello"),
            (
                "assistant",
                [{"text": "Hm.", "thought": True}, {"text": "Hi.", "thoughtSignature": "c2ln"}],
            ),
            ("user", "Go on."),
        ),
        "cohere": said(
            "cohere",
            ("user", "Hello"),
            ("assistant", [{"type": "thinking", "thinking": "Hm."}, _THOUGHT[1]]),
            ("user", "Go on."),
        ),
    }


def _refused():
    words = "I cannot help with that."
    body = said("responses", ("user", "Hello"))
    body["input"] += [
        {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "refusal", "refusal": words}],
        },
        {"role": "user", "content": "Go on."},
    ]
    chat = said("chat", ("user", "Hello"))
    chat["messages"] += [
        {"role": "assistant", "content": None, "refusal": words},
        {"role": "user", "content": "Go on."},
    ]
    return {"chat": chat, "responses": body}


HISTORY = (
    Asking("plain text", {shape: said(shape, ("user", "Hello")) for shape in WRITTEN}),
    Asking("several text parts", {shape: _texts(shape) for shape in WRITTEN}),
    Asking("system", {shape: _system(shape) for shape in WRITTEN}),
    Asking(
        "system in the middle",
        {shape: middle(shape) for shape in WRITTEN if shape != "generate"},
        ("turns",),
        ("Be brief.", "Hello", "Go on."),
    ),
    Asking(
        "participant's name",
        {
            "chat": said("chat")
            | {"messages": [{"role": "user", "name": "ada", "content": "Hello"}]}
        },
        ("turns.0.name",),
    ),
    Asking(
        "several turns",
        {
            shape: said(shape, ("user", "Hello"), ("assistant", "Hi."), ("user", "Go on."))
            for shape in WRITTEN
        },
    ),
    Asking(
        "ends with the assistant (prefill)",
        {shape: said(shape, ("user", "Hello"), ("assistant", "Well,")) for shape in WRITTEN},
    ),
    Asking(
        "image by URL",
        asked(
            chat=[{"type": "image_url", "image_url": {"url": IMAGE_URL}}],
            responses=[{"type": "input_image", "image_url": IMAGE_URL}],
            messages=[{"type": "image", "source": {"type": "url", "url": IMAGE_URL}}],
            generate=[{"fileData": {"mimeType": "image/png", "fileUri": IMAGE_URL}}],
            cohere=[{"type": "image_url", "image_url": {"url": IMAGE_URL}}],
        ),
    ),
    Asking(
        "image bytes",
        asked(
            chat=[{"type": "image_url", "image_url": {"url": DATA_URL}}],
            responses=[{"type": "input_image", "image_url": DATA_URL}],
            messages=[
                {
                    "type": "image",
                    "source": {"type": "base64", "media_type": "image/png", "data": PNG},
                }
            ],
            generate=[{"inlineData": {"mimeType": "image/png", "data": PNG}}],
            cohere=[{"type": "image_url", "image_url": {"url": DATA_URL}}],
        ),
    ),
    Asking(
        "image detail",
        asked(
            chat=[{"type": "image_url", "image_url": {"url": DATA_URL, "detail": "low"}}],
            responses=[{"type": "input_image", "image_url": DATA_URL, "detail": "low"}],
            generate=[
                {
                    "inlineData": {"mimeType": "image/png", "data": PNG},
                    "mediaResolution": {"level": "MEDIA_RESOLUTION_LOW"},
                }
            ],
            cohere=[{"type": "image_url", "image_url": {"url": DATA_URL, "detail": "low"}}],
        ),
        ("turns.0.parts.0.detail",),
    ),
    Asking(
        "PDF",
        asked(
            chat=[{"type": "file", "file": {"file_data": DATA_PDF, "filename": "a.pdf"}}],
            responses=[{"type": "input_file", "file_data": DATA_PDF, "filename": "a.pdf"}],
            messages=[
                {
                    "type": "document",
                    "title": "a.pdf",
                    "source": {"type": "base64", "media_type": "application/pdf", "data": PDF},
                }
            ],
            generate=[
                {
                    "inlineData": {
                        "mimeType": "application/pdf",
                        "data": PDF,
                        "displayName": "a.pdf",
                    }
                }
            ],
        ),
        ("turns.0.parts",),
        (PDF, ("a.pdf", "a pdf")),
    ),
    Asking(
        "PDF by URL",
        asked(
            responses=[{"type": "input_file", "file_url": "https://example.org/a.pdf"}],
            messages=[
                {
                    "type": "document",
                    "source": {"type": "url", "url": "https://example.org/a.pdf"},
                }
            ],
            generate=[
                {
                    "fileData": {
                        "mimeType": "application/pdf",
                        "fileUri": "https://example.org/a.pdf",
                    }
                }
            ],
        ),
    ),
    Asking(
        "file of a vendor's store",
        asked(
            chat=[{"type": "file", "file": {"file_id": "file-1"}}],
            responses=[{"type": "input_file", "file_id": "file-1"}],
            messages=[{"type": "document", "source": {"type": "file", "file_id": "file_1"}}],
            generate=[
                {
                    "fileData": {
                        "mimeType": "application/pdf",
                        "fileUri": "https://generativelanguage.googleapis.com/v1beta/files/a1",
                    }
                }
            ],
        ),
    ),
    Asking(
        "audio in",
        asked(
            chat=[{"type": "input_audio", "input_audio": {"data": WAV, "format": "wav"}}],
            generate=[{"inlineData": {"mimeType": "audio/wav", "data": WAV}}],
        ),
    ),
    Asking(
        "video in",
        asked(generate=[{"inlineData": {"mimeType": "video/mp4", "data": "AAAA"}}]),
    ),
    Asking("another vendor's reasoning in the history", _thought(), ("turns.1",), ("Hi.",)),
    Asking("a refusal in the history", _refused(), ("turns.1",)),
    Asking(
        "cache marks",
        {shape: cached(shape) for shape in ("chat", "responses", "messages")},
        ("turns.0.parts.0.cache",),
    ),
)
