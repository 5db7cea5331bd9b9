"""Developer tokens: what a script registers applications with, or administers."""
