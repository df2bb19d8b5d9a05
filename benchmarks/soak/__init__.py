"""What takes hours: how errors of conserved momenta grow, and runs that are killed and resumed. `make soak` runs all."""
