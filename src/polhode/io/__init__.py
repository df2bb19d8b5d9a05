"""Files: scenarios, results, and the formats of others."""
