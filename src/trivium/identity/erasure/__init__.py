"""What the gateway knows of a person: handed out whole, and erased."""
