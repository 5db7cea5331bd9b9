"""What is remembered between two requests: answers that callers refer to later."""
