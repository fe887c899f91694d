"""The one place where a prompt is made and an answer to it is read."""
