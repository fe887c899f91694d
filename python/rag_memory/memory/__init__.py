"""One memory: its record, tier, importance, slots, wording and formatting."""
