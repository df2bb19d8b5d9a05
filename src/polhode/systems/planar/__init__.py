"""Bodies that turn in a plane: systems on products of circles."""
