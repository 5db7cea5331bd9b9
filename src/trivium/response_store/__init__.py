"""What is remembered between two requests: answers referred to later, state left out."""
