"""The rerank shape: its operation, at two addresses, and its schemas.

Source: Cohere's API reference, "Rerank API (v2)" and its first version, vLLM's serving pages for
Jina's members; read 2026-11-24.
"""

from typing import Final

from trivium.edge.openapi.row import relayed
from trivium.edge.openapi.schema import (
    Schema,
    array,
    boolean,
    either,
    free,
    integer,
    number,
    record,
    text,
)
from trivium.wire.operation import Operation

ABOUT: Final = "Documents in the order of their relevance to a query."

OPERATIONS: Final = tuple(
    relayed(
        Operation.RERANK,
        name=name,
        path=path,
        about="Orders documents by their relevance to a query.",
        request="CreateRerankRequest",
        answer="CreateRerankResponse",
    )
    for path, name in enumerate(("createRerank", "createRerankV2"))
)

_DOCUMENT: Final = either(text(), free("Fields, such as `text`."))

SCHEMAS: Final[dict[str, Schema]] = {
    "CreateRerankRequest": record(
        {
            "model": text("A model of this gateway: see `/v1/models`."),
            "query": either(text(), free()),
            "documents": array(_DOCUMENT, low=1),
            "top_n": integer("Left out: all of them.", low=1),
            "return_documents": boolean("Whether results hold the documents."),
            "rank_fields": array(text(), "Of documents that are objects, those that count."),
            "max_tokens_per_doc": integer("Longer documents are cut by the vendor.", low=1),
        },
        ("model", "query", "documents"),
    ),
    "CreateRerankResponse": record(
        {
            "id": text(),
            "model": text(),
            "results": array(
                record(
                    {
                        "index": integer("Of the document in the request.", low=0),
                        "relevance_score": number(),
                        "document": _DOCUMENT,
                    },
                    ("index", "relevance_score"),
                ),
                "The most relevant first.",
            ),
            "meta": record(
                {
                    "billed_units": record(
                        {"search_units": number(), "input_tokens": number()},
                        about="As Cohere reports them.",
                    )
                }
            ),
            "usage": record(
                {"total_tokens": integer(), "prompt_tokens": integer()},
                about="As Jina AI and vLLM report it.",
            ),
        },
        ("results",),
    ),
}
