"""Parts of the benchmarks: texts, games, measurements, and the format of results."""
