"""The embeddings shape: POST /v1/embeddings."""
