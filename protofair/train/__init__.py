"""Training: the warm-up with a base objective, and the fair phase that continues it with the ProtoFair term."""
