"""From official files to packed arrays: acquire, prepare, split, and the embedded data in the same formats."""
