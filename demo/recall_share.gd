extends RefCounted
## Adds up, per category of question, how much of the evidence was recalled.

const RecallReport := preload("recall_report.gd")

const CATEGORY_NAMES: Dictionary[int, String] = {
	1: "multi-hop",
	2: "temporal",
	3: "open",
	4: "single-hop",
	5: "adversarial",
}
const OVERALL := -1

var _recall_sums: Dictionary[int, float] = {}
var _complete_counts: Dictionary[int, int] = {}
var _question_counts: Dictionary[int, int] = {}
var _memory_count := 0
var _times_ms: Array[float] = []


static func category_name(category: int) -> String:
	return CATEGORY_NAMES.get(category, "other")


## Counts one question. Its recall is evidence found / evidence needed; without evidence it is 1.
func add(category: int, found: int, needed: int, memory_count: int, elapsed_ms: float) -> void:
	var recall: float = 1.0 if needed == 0 else float(found) / needed
	for each: int in [category, OVERALL]:
		_recall_sums[each] = _recall_sums.get(each, 0.0) + recall
		_complete_counts[each] = _complete_counts.get(each, 0) + int(found == needed)
		_question_counts[each] = _question_counts.get(each, 0) + 1
	_memory_count += memory_count
	_times_ms.append(elapsed_ms)


## Prints a row per category, one for all questions, and the times.
func print_table() -> void:
	RecallReport.print_heading("Evidence recalled within the default budget")
	print("category     questions  evidence recalled  questions with all of it")
	var categories: Array[int] = _question_counts.keys()
	categories.sort()
	categories.erase(OVERALL)
	for category: int in categories:
		_print_row(category_name(category), category)
	if _times_ms.is_empty():
		print("The transcript holds no questions.")
		return
	_print_row("overall", OVERALL)
	var mean_count: float = float(_memory_count) / _times_ms.size()
	print("Memories per answer:      %.1f on average" % mean_count)
	print("Median time to an answer: %.1f ms" % RecallReport.median(_times_ms))


func _print_row(title: String, category: int) -> void:
	var questions: int = _question_counts[category]
	print(
		(
			"%-11s  %9d  %15.1f %%  %22.1f %%"
			% [
				title,
				questions,
				100.0 * _recall_sums[category] / questions,
				100.0 * _complete_counts[category] / questions,
			]
		)
	)
