"""The tables of step r0001, a module for each part of the gateway. Part of a step: never edited."""
