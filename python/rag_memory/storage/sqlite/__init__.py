"""Saves as SQLite files: the only place that knows SQL."""
