"""Set-up of RAG Memory: engine, private CPython, native host and model. Standard library only."""
