"""Who a gateway is in a cloud: which identity a channel names, and its token from a library.

Each module checks the parts of a channel's ``credential`` when settings are read, and finds a token
later, in a thread (``upstream/finding.py``). Its library is imported there, and makes no connection
of its own: what it asks goes by the gateway's client, through the channel's proxy.
"""
