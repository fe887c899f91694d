"""Words: terms, stems, names, short forms, and texts that say the same."""
