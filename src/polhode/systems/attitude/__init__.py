"""One rigid body on T*SO(3): free, in potentials, in fields, with moments."""
