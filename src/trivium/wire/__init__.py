"""How it is written: one folder per public shape. Pure: bytes and values in, values out."""
