"""What only a dedicated server has: saves on PostgreSQL, and what game servers share over Valkey. It imports
rag_memory, never the other way.
"""
