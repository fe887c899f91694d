"""Search indexes in memory: vectors, words, and a few numbers per memory."""
