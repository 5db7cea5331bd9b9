"""Where it goes: the model catalogue, bindings, plans."""
