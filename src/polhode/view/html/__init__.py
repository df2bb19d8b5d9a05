"""Pages: the view in a browser, the report, notebooks."""
