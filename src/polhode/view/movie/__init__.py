"""Movies of a trajectory: the scene of the view, drawn without a browser."""
