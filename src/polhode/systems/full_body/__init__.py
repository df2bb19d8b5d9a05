"""Extended bodies under mutual gravity: inertial and relative coordinates, perturbations, tides."""
