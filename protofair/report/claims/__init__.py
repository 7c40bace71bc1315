"""The paper's claims as statements that the runs of a suite decide."""
