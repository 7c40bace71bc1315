"""The report: every table, figure and claim of the paper beside what came out."""
