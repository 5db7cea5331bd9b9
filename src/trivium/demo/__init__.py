"""The demo: a small real model that runs inside, so that a first answer needs no vendor account."""
