"""The story that calls the chapters, in order."""
