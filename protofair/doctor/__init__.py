"""A look at the machine: what is there, what is missing, and what to do about it."""
