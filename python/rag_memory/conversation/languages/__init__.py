"""What binds somebody in a talk, in other languages than English: a table per language."""
