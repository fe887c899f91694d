"""The parts of the benchmarks: the text they use, the games they run, and how results are told."""
