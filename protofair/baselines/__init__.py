"""Methods that are more than a loss on one optimiser: a file each, in the same loop, checkpoints and measurements."""
