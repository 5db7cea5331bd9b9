"""Balance bought from a payment provider: begun here, believed only when the provider signs it."""
