"""The rerank shape: POST /v1/rerank and /v2/rerank, as Cohere and Jina AI have it."""
