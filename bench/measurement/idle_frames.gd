extends RefCounted
## The mean cost of frames in which nothing happens.


## Runs [param rounds] times [param frames] frames as fast as they go; the mean of each round in
## microseconds.
static func means_usec(tree: SceneTree, rounds: int, frames: int) -> Array[float]:
	OS.low_processor_usage_mode_sleep_usec = 0
	var means: Array[float] = []
	for _round: int in rounds:
		await tree.process_frame
		var started_usec: int = Time.get_ticks_usec()
		for _frame: int in frames:
			await tree.process_frame
		means.append(float(Time.get_ticks_usec() - started_usec) / frames)
	return means
