"""The context that calls the chapters, in order."""
