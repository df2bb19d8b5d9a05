"""What people look at: figures, scenes in three dimensions, pages and reports."""
