"""The rerank shape: its operation, at two addresses, and its schemas.

Source: Cohere's API reference, "Rerank API (v2)" and its first version, vLLM's serving pages for
Jina's members; read 2026-11-24.
"""

from typing import Final

from trivium.edge.openapi.row import operations
from trivium.edge.openapi.schema import schemas

ABOUT: Final = "Documents in the order of their relevance to a query."

OPERATIONS: Final = operations("""
rerank
POST /v1/rerank createRerank "Orders documents by their relevance to a query."
  request=CreateRerankRequest answer=CreateRerankResponse
POST /v2/rerank createRerankV2 "Orders documents by their relevance to a query."
  request=CreateRerankRequest answer=CreateRerankResponse
""")

SCHEMAS: Final = schemas("""
document = text | (object "Fields, such as `text`.")
CreateRerankRequest = {
  model!: text "A model of this gateway: see `/v1/models`.", query!: text | object,
  documents!: document[1..], top_n: int 1.. "Left out: all of them.",
  return_documents: bool "Whether results hold the documents.",
  rank_fields: text[] "Of documents that are objects, those that count.",
  max_tokens_per_doc: int 1.. "Longer documents are cut by the vendor."
}
CreateRerankResponse = {
  id: text, model: text,
  results!: {
    index!: int 0.. "Of the document in the request.", relevance_score!: num, document: document
  }[] "The most relevant first.",
  meta: {billed_units: {search_units: num, input_tokens: num} "As Cohere reports them."},
  usage: {total_tokens: int, prompt_tokens: int} "As Jina AI and vLLM report it."
}
""")
