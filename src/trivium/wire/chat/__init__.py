"""The chat shape: POST /v1/chat/completions."""
