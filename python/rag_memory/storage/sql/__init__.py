"""The statements that SQLite and PostgreSQL share, each written once."""
