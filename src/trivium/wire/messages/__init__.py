"""The Anthropic-shaped operations: messages and their token count."""
