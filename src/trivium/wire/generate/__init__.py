"""The Google-shaped operations: generate-content, token count, embeddings."""
