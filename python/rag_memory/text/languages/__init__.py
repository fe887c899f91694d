"""Words of the languages besides English that recall reads in a question: one table per module."""
