"""The studio: one page in the browser to change a scenario, run it, and see the motion and what was conserved."""
