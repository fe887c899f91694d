"""What is kept in memory to be searched: vectors, words, and a few numbers per memory."""
