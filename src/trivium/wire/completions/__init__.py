"""The completions shape: POST /v1/completions."""
