"""The moving three-dimensional scene: which objects there are, how they look, where they are."""
