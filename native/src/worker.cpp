#include "worker.h"

#include <algorithm>
#include <utility>

#include "engine_calls.h"
#include "platform.h"

namespace rag_memory {

namespace {

using Clock = std::chrono::steady_clock;

// How long the game may take to quit because memories are still being written.
constexpr std::chrono::seconds DRAIN_LIMIT(5);
constexpr std::chrono::seconds JOIN_LIMIT(10);
// Work nobody waits for begins after this long without a message: a call must not find it under way.
constexpr std::chrono::milliseconds QUIET_BEFORE_BACKGROUND_WORK(500);
// In a game that never pauses a slice of it runs this often all the same.
constexpr std::chrono::milliseconds LONGEST_BACKGROUND_PAUSE(200);
// How often what waits for a reply looks whether it has waited too long.
constexpr std::chrono::milliseconds WAKE_INTERVAL(50);

constexpr const char *OVERDUE_ERROR =
		"The memory worker made no progress within the time limit (project setting rag_memory/request_timeout_seconds). "
		"What was asked may still be carried out.";
constexpr const char *STOPPED_ERROR = "The memory runtime has stopped because the game is quitting.";

// The worker of this process; Python's log function reaches it here.
Worker *current_worker = nullptr;

// For threads of the game: the worker holds its lock for a moment at a time, and sleeping until it lets go costs
// a frame more than trying again.
std::unique_lock<std::mutex> locked_patiently(std::mutex &mutex) {
	constexpr int ATTEMPTS = 200;
	std::unique_lock<std::mutex> lock(mutex, std::try_to_lock);
	for (int attempt = 0; attempt < ATTEMPTS && !lock.owns_lock(); attempt++) {
		lock.try_lock();
	}
	if (!lock.owns_lock()) {
		lock.lock();
	}
	return lock;
}

void log_from_python(int level, const std::string &text) {
	current_worker->add_log(static_cast<LogLevel>(level), text);
}

bool ask_from_python(uint64_t question_id, uint64_t message_id, const uint8_t *arguments, size_t size) {
	return current_worker->add_question(question_id, message_id, arguments, size);
}

} // namespace

void Worker::start(const RuntimeFolders &folders, double timeout_seconds) {
	State expected = State::IDLE;
	if (!state.compare_exchange_strong(expected, State::STARTING)) {
		return;
	}
	current_worker = this;
	timeout = std::chrono::duration<double>(timeout_seconds);
	thread = std::thread(&Worker::run, this, folders);
}

void Worker::post(Message message) {
	message.posted = Clock::now();
	std::unique_lock<std::mutex> lock = locked_patiently(mutex);
	register_message(message);
	if (state == State::FAILED || stop_wanted) {
		answer_locked({message.id, Variant(), stop_wanted ? STOPPED_ERROR : failure, Variant()});
		return;
	}
	if (unanswered.size() == 1) {
		last_progress = Clock::now(); // an idle worker is not one that hangs
	}
	queue.push(std::move(message));
	lock.unlock(); // or the woken worker would run into the lock
	work_arrived.notify_one();
}

void Worker::register_message(const Message &message) {
	if (message.wants_answer) {
		unanswered[message.id] = Clock::now();
		if (message.is_urgent) {
			blocked.insert(message.id);
		}
	}
}

void Worker::answer_with_error(Message message, const std::string &error) {
	std::lock_guard<std::mutex> lock(mutex);
	register_message(message);
	answer_locked({message.id, Variant(), error, Variant()});
}

bool Worker::wait(uint64_t id, bool may_be_asked, Answer &answer, Question &question) {
	std::unique_lock<std::mutex> lock(mutex);
	const auto asked = [this, id, may_be_asked] {
		return may_be_asked ? std::find_if(questions.begin(), questions.end(), [id](const Question &each) { return each.message_id == id; })
							: questions.end();
	};
	const auto arrived = [this, id, &asked] { return blocking_answers.count(id) != 0 || asked() != questions.end(); };
	while (!answer_arrived.wait_for(lock, std::chrono::seconds(1), arrived)) {
		const auto posted = unanswered.find(id);
		if (posted != unanswered.end() && is_overdue(posted->second)) {
			lock.unlock();
			cancel(id, OVERDUE_ERROR);
			lock.lock();
		}
	}
	if (blocking_answers.count(id) == 0) {
		const auto found = asked();
		question = std::move(*found);
		questions.erase(found);
		return false;
	}
	answer = std::move(blocking_answers[id]);
	blocking_answers.erase(id);
	return true;
}

bool Worker::add_question(uint64_t question_id, uint64_t message_id, const uint8_t *arguments, size_t size) {
	if (!may_ask.load(std::memory_order_acquire)) {
		return false;
	}
	Question question = {question_id, message_id, deserialise(arguments, size)};
	{
		std::lock_guard<std::mutex> lock(mutex);
		if (stop_wanted || queue.has_barrier()) {
			return false;
		}
		questions.push_back(std::move(question));
		output_waits.store(true, std::memory_order_release);
	}
	answer_arrived.notify_all();
	return true;
}

std::vector<Question> Worker::take_questions() {
	std::lock_guard<std::mutex> lock(mutex);
	return std::exchange(questions, {});
}

void Worker::reply(uint64_t question_id, const Variant &result, const std::string &error) {
	Variant parts = Variant::empty(GDEXTENSION_VARIANT_TYPE_ARRAY);
	parts.append(Variant::from_int(static_cast<int64_t>(question_id)));
	parts.append(result);
	parts.append(Variant::from_string(error));
	Message message;
	message.method_id = REPLY_METHOD;
	message.payload = serialise(parts);
	message.is_free = true;
	message.wants_answer = false;
	post(std::move(message));
}

void Worker::cancel(uint64_t id, const std::string &reason) {
	std::lock_guard<std::mutex> lock(mutex);
	if (unanswered.count(id) == 0) {
		return;
	}
	Message message;
	if (!queue.take(id, message)) {
		cancelled_in_work.insert(id);
		work_arrived.notify_one();
	}
	answer_locked({id, Variant(), reason, Variant()});
	answer_arrived.notify_all();
}

void Worker::fail_overdue() {
	std::vector<uint64_t> overdue;
	{
		std::lock_guard<std::mutex> lock(mutex);
		for (const auto &[id, posted] : unanswered) {
			if (is_overdue(posted)) {
				overdue.push_back(id);
			}
		}
	}
	for (uint64_t id : overdue) {
		cancel(id, OVERDUE_ERROR);
	}
}

bool Worker::is_overdue(Clock::time_point since) const {
	return Clock::now() - std::max(since, last_progress) > timeout;
}

std::vector<Answer> Worker::take_answers() {
	std::unique_lock<std::mutex> lock = locked_patiently(mutex);
	output_waits.store(!log.empty() || !questions.empty(), std::memory_order_release);
	return std::exchange(answers, {});
}

std::vector<LogLine> Worker::take_log() {
	std::unique_lock<std::mutex> lock = locked_patiently(mutex);
	output_waits.store(!answers.empty() || !questions.empty(), std::memory_order_release);
	return std::exchange(log, {});
}

size_t Worker::get_unanswered_count() {
	std::lock_guard<std::mutex> lock(mutex);
	return unanswered.size();
}

double Worker::get_startup_seconds() {
	std::lock_guard<std::mutex> lock(mutex);
	return startup.count();
}

std::string Worker::get_failure() {
	std::lock_guard<std::mutex> lock(mutex);
	return failure;
}

void Worker::add_log(LogLevel level, const std::string &text) {
	std::lock_guard<std::mutex> lock(mutex);
	log.push_back({level, text});
	output_waits.store(true, std::memory_order_release);
}

void Worker::answer_locked(Answer answer) {
	if (unanswered.erase(answer.id) == 0) {
		return; // cancelled meanwhile, or nobody wants to know
	}
	if (blocked.erase(answer.id) != 0) {
		blocking_answers[answer.id] = std::move(answer);
	} else {
		answers.push_back(std::move(answer));
		output_waits.store(true, std::memory_order_release);
	}
}

void Worker::answer(Answer answer) {
	{
		std::lock_guard<std::mutex> lock(mutex);
		answer_locked(std::move(answer));
	}
	answer_arrived.notify_all();
}

void Worker::answer_all_waiting(bool keep_writes, const std::string &error) {
	std::lock_guard<std::mutex> lock(mutex);
	for (const Message &message : queue.take_all(keep_writes)) {
		answer_locked({message.id, Variant(), error, Variant()});
	}
	answer_arrived.notify_all();
}

void Worker::run(RuntimeFolders folders) {
	platform::name_this_thread("rag_memory");
	const auto started = Clock::now();
	const std::string error = python_runtime.start(folders, is_debug_build(), log_from_python, ask_from_python);
	{
		std::lock_guard<std::mutex> lock(mutex);
		startup = Clock::now() - started;
		failure = error;
		last_progress = Clock::now();
		state.store(error.empty() ? State::READY : State::FAILED, std::memory_order_release);
		output_waits.store(true, std::memory_order_release);
	}
	if (error.empty()) {
		work();
		answer_all_waiting(false, STOPPED_ERROR);
	} else {
		answer_all_waiting(false, error);
	}
	python_runtime.stop();
	std::lock_guard<std::mutex> lock(mutex);
	has_ended = true;
	answer_arrived.notify_all();
}

void Worker::work() {
	bool is_draining = false;
	while (true) {
		bool starts_draining = false;
		bool is_idle = false;
		bool is_urged = false;
		const bool is_anyone_waiting = std::any_of(in_work.begin(), in_work.end(), waits);
		{
			std::unique_lock<std::mutex> lock(mutex);
			const auto has_work = [this] { return stop_wanted || !queue.is_empty() || can_advance(); };
			const Clock::time_point until = next_look();
			if (until == Clock::time_point::max()) {
				work_arrived.wait(lock, has_work);
			} else {
				work_arrived.wait_until(lock, until, has_work);
			}
			is_idle = queue.is_empty() && !can_advance();
			if (stop_wanted && ((is_idle && in_work.empty()) || Clock::now() > drain_deadline)) {
				return;
			}
			starts_draining = stop_wanted && !is_draining;
			is_urged = is_anyone_waiting && (stop_wanted || queue.starts_with_barrier());
		}
		if (starts_draining) {
			is_draining = true;
			answer_all_waiting(true, STOPPED_ERROR);
		}
		if (has_waiting() && (is_urged || Clock::now() - woken >= WAKE_INTERVAL)) {
			if (is_urged) {
				python_runtime.give_up_waiting();
			}
			wake_waiting();
		}
		if (is_idle && !is_draining && may_have_idle_work && !idle_work_waits && Clock::now() >= next_background_work()) {
			work_in_the_background();
			continue;
		}
		Message next;
		if (take_next(next, false)) {
			begin(std::move(next));
		}
		while (take_next(next, true)) {
			begin(std::move(next));
		}
		advance();
	}
}

// Until when the worker may sleep if no message comes.
std::chrono::steady_clock::time_point Worker::next_look() const {
	Clock::time_point until = Clock::time_point::max();
	if (may_have_idle_work && !idle_work_waits) {
		until = next_background_work();
	}
	return has_waiting() ? std::min(until, woken + WAKE_INTERVAL) : until;
}

std::chrono::steady_clock::time_point Worker::next_background_work() const {
	return std::min(last_work + QUIET_BEFORE_BACKGROUND_WORK, last_background_work + LONGEST_BACKGROUND_PAUSE);
}

bool Worker::can_advance() const {
	return !std::all_of(in_work.begin(), in_work.end(), waits);
}

bool Worker::has_waiting() const {
	return idle_work_waits || std::any_of(in_work.begin(), in_work.end(), waits);
}

// Everything that waits gets a turn, and says anew if it waits on.
void Worker::wake_waiting() {
	woken = Clock::now();
	idle_work_waits = false;
	for (InWork &item : in_work) {
		item.is_waiting = false;
	}
}

bool Worker::take_next(Message &next, bool urgent_only) {
	std::vector<uint64_t> keys;
	bool barrier = false;
	for (const InWork &item : in_work) {
		// The game may need the NPC to find its reply, and may take long: her other calls go on.
		keys.push_back(item.is_waiting ? NO_KEY : item.message.key);
		barrier = barrier || item.message.is_barrier;
	}
	std::lock_guard<std::mutex> lock(mutex);
	return queue.take_next(keys, barrier, urgent_only, next);
}

void Worker::begin(Message message) {
	if (!may_have_idle_work) {
		may_have_idle_work = true;
		last_background_work = Clock::now();
	}
	const auto started = Clock::now();
	if (!message.is_free) { // whoever polls health() must not keep the background work waiting
		last_work = started;
	}
	std::vector<uint8_t> bytes;
	const bool is_reply = message.method_id == REPLY_METHOD;
	const Progress progress = python_runtime.handle(message, bytes);
	const std::chrono::duration<double> waited = started - message.posted;
	InWork item = {std::move(message), progress == Progress::WAITING, waited, Clock::now() - started};
	if (progress == Progress::DONE) {
		finish(item, bytes);
	} else {
		item.message.is_barrier = item.message.is_barrier && !item.message.opens;
		in_work.push_back(std::move(item));
	}
	if (is_reply) {
		wake_waiting();
	}
	std::lock_guard<std::mutex> lock(mutex);
	last_progress = Clock::now();
}

// One slice of one long message, in turn.
void Worker::advance() {
	if (!can_advance()) {
		return;
	}
	do {
		turn = (turn + 1) % in_work.size();
	} while (in_work[turn].is_waiting);
	InWork &item = in_work[turn];
	const Message &message = item.message;
	bool is_cancelled = false;
	{
		std::lock_guard<std::mutex> lock(mutex);
		is_cancelled = cancelled_in_work.erase(message.id) != 0;
		last_progress = Clock::now();
	}
	std::vector<uint8_t> bytes;
	if (is_cancelled) {
		python_runtime.cancel(message.id);
	} else {
		const auto resumed = Clock::now();
		const Progress progress = python_runtime.resume(message.id, bytes);
		item.worked += Clock::now() - resumed;
		if (progress != Progress::WAITING) {
			last_work = Clock::now();
		}
		if (progress != Progress::DONE) {
			item.is_waiting = progress == Progress::WAITING;
			return;
		}
		finish(item, bytes);
	}
	in_work.erase(in_work.begin() + static_cast<std::ptrdiff_t>(turn));
}

void Worker::finish(const InWork &item, const std::vector<uint8_t> &bytes) {
	const Message &message = item.message;
	{
		std::lock_guard<std::mutex> lock(mutex);
		cancelled_in_work.erase(message.id);
		if (is_abandoned) {
			return;
		}
	}
	if (!message.wants_answer) {
		return;
	}
	Answer finished = answer_of(message.id, bytes);
	finished.waited = item.waited;
	finished.worked = item.worked;
	answer(std::move(finished));
}

// Building the Variants here keeps that work off the main thread.
Answer Worker::answer_of(uint64_t id, const std::vector<uint8_t> &bytes) const {
	Answer result;
	result.id = id;
	if (bytes.empty()) {
		result.error = "An error inside RAG Memory; the output says more. Please report it.";
	} else {
		const Variant parts = deserialise(bytes.data(), bytes.size());
		result.result = parts.at(0);
		result.error = parts.at(1).to_string();
		result.events = parts.at(2);
	}
	return result;
}

void Worker::work_in_the_background() {
	std::vector<uint8_t> bytes;
	const Progress progress = python_runtime.idle(bytes);
	may_have_idle_work = progress != Progress::DONE;
	idle_work_waits = progress == Progress::WAITING;
	last_background_work = Clock::now();
	if (bytes.empty()) {
		return;
	}
	Answer signals = answer_of(0, bytes); // nobody asked: there are only signals to emit
	std::lock_guard<std::mutex> lock(mutex);
	answers.push_back(std::move(signals));
	output_waits.store(true, std::memory_order_release);
}

void Worker::stop() {
	if (!thread.joinable()) {
		std::lock_guard<std::mutex> lock(mutex);
		stop_wanted = true;
		state.store(State::STOPPED, std::memory_order_release);
		return;
	}
	std::unique_lock<std::mutex> lock(mutex);
	drain_deadline = Clock::now() + DRAIN_LIMIT;
	stop_wanted = true;
	work_arrived.notify_one();
	const bool ended = answer_arrived.wait_for(lock, JOIN_LIMIT, [this] { return has_ended; });
	is_abandoned = !ended;
	// What is still in work gets no answer from Python any more.
	std::vector<uint64_t> left;
	for (const auto &[id, posted] : unanswered) {
		left.push_back(id);
	}
	for (uint64_t id : left) {
		answer_locked({id, Variant(), STOPPED_ERROR, Variant()});
	}
	answer_arrived.notify_all();
	lock.unlock();
	if (ended) {
		thread.join();
	} else {
		thread.detach(); // the library stays loaded (keep_loaded()); the thread touches the engine no more
	}
	state.store(State::STOPPED, std::memory_order_release);
}

} // namespace rag_memory
