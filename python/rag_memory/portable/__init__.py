"""Memories in and out as JSON and CSV."""
