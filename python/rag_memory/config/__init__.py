"""Every value that can be tuned, with its type, range and help."""

from rag_memory.config.memory_config import MemoryConfig, RelevanceMode, ScoreMode, config_fields

__all__ = ["MemoryConfig", "RelevanceMode", "ScoreMode", "config_fields"]
