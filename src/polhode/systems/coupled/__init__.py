"""Several rigid bodies about fixed points, coupled by their attitudes."""
