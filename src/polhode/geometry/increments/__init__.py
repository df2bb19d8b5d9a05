"""The rotation of one step: implicit equations for the increment of a discrete rigid body, and their solvers."""
