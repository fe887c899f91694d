"""The backend on a PostgreSQL server, with pgvector; SQL of PostgreSQL stands here only."""
