"""The generalised rigid body on SO(n) and its symmetric representation."""
