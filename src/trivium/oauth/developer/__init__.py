"""Developer tokens: what registers an application from a script."""
