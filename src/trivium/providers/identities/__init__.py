"""Who a gateway is in a cloud: which identity a channel names, and its token from a library.

Each module checks the parts of a channel's ``credential`` when settings are read, and finds a token
later, in a thread (``upstream/finding.py``). Its library is imported there. Those of Google and
Microsoft make no connection of their own: they ask by the gateway's client (``errands.py``).
"""
