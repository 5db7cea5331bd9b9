"""Request records, read back: by their own user, and by those who look after all of them."""
