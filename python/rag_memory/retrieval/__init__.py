"""From a question to the memories that answer it: relevance, candidates, score, selection."""
