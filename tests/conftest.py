"""One thread a process: several run at once, and small problems are slower on many."""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("DVC_NO_ANALYTICS", "1")
