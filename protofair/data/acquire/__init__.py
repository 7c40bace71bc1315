"""Raw files, verified: taken from a person's folder or fetched from ordered mirrors, and never asked for twice."""
