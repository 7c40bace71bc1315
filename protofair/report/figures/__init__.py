"""The figures of the report, each a function from the report's model to a `Picture`."""
