#include "worker/worker.h"

#include <algorithm>
#include <utility>

#include "engine/embedding_model.h"
#include "engine/engine_calls.h"
#include "platform/platform.h"

namespace rag_memory {

namespace {

// How long the game may take to quit because memories are still being written.
constexpr std::chrono::seconds DRAIN_LIMIT(5);
constexpr std::chrono::seconds JOIN_LIMIT(10);
// For Python to start, when the game quits meanwhile: what was asked is written after that. Also for a model of the
// game's own that is computing.
constexpr std::chrono::seconds UNSAFE_LIMIT(60);
// Work nobody waits for begins after this long without a message: a call must not find it under way.
constexpr std::chrono::milliseconds QUIET_BEFORE_BACKGROUND_WORK(500);
// In a game that never pauses a slice of it runs this often all the same.
constexpr std::chrono::milliseconds LONGEST_BACKGROUND_PAUSE(200);
// How often what waits for a reply looks whether it has waited too long.
constexpr std::chrono::milliseconds WAKE_INTERVAL(50);

// How often a blocked thread looks whether it has waited too long.
constexpr std::chrono::seconds OVERDUE_CHECK_INTERVAL(1);

// The worker of this process; Python's log function reaches it here.
Worker *current_worker = nullptr;

void log_from_python(int level, const std::string &text) {
	current_worker->add_log(static_cast<LogLevel>(level), text);
}

bool ask_from_python(uint64_t question_id, uint64_t message_id, uint32_t which, const uint8_t *arguments, size_t size) {
	return current_worker->add_question(question_id, message_id, which, arguments, size);
}

void ring_from_python() {
	current_worker->ring();
}

std::vector<uint8_t> command_model_from_python(const uint8_t *command, size_t size) {
	return current_worker->command_model(command, size);
}

} // namespace

const char *const Worker::OVERDUE_ERROR =
		"The memory worker made no progress within the time limit; what was asked may still be carried out. "
		"Ask again later, or raise the project setting rag_memory/request_timeout_seconds.";

const char *const Worker::NOT_SERIALISED_ERROR =
		"The arguments cannot be passed to the memory worker: they are nested too deeply or contain themselves, or have more than 4 million values. Pass flatter values, or fewer at a time.";

const char *const Worker::STOPPED_ERROR = "The memory runtime has stopped because the game is quitting.";

void Worker::start(const RuntimeFolders &folders, double timeout_seconds) {
	State expected = State::IDLE;
	if (!state.compare_exchange_strong(expected, State::STARTING)) {
		return;
	}
	current_worker = this;
	timeout = std::chrono::duration<double>(timeout_seconds);
	maker.start();
	thread = std::thread(&Worker::run, this, folders);
}

void Worker::post(std::unique_ptr<Message> message) {
	if (message->asked == Clock::time_point()) {
		message->asked = Clock::now();
	}
	expect_answer(*message);
	if (stop_wanted.load()) {
		answer_with_error(std::move(message), STOPPED_ERROR);
		return;
	}
	inbox.put(std::move(message));
	bell.ring();
	if (is_closed.load()) { // perhaps since the thread looked into its inbox for the last time
		answer_unread();
	}
}

void Worker::expect_answer(const Message &message) {
	if (message.wants_answer && message.is_urgent) {
		blocked.add(message.id);
	}
}

void Worker::refuse(std::unique_ptr<Message> message, const std::string &error) {
	expect_answer(*message);
	answer_with_error(std::move(message), error);
}

void Worker::answer_with_error(std::unique_ptr<Message> message, const std::string &error) {
	message->answer_bytes.clear();
	message->answer.error = error;
	hand_over(std::move(message));
}

// Back to where the message came from.
void Worker::hand_over(std::unique_ptr<Message> message) {
	const bool is_awaited = message->wants_answer && message->is_urgent;
	if (message->answer_bytes.empty()) {
		if (is_awaited) {
			blocked.answer(message);
		} else {
			maker.pass(std::move(message));
		}
		return;
	}
	if (is_awaited && message->is_made_by_caller) {
		message->answer.number = maker.get_last_number();
		if (blocked.answer(message)) {
			return;
		}
	}
	maker.make(std::move(message)); // its signals are emitted even if nobody waits for the answer any more
}

bool Worker::wait(uint64_t id, bool may_be_asked, Answer &answer, Question &question) {
	const auto begun = Clock::now();
	std::unique_ptr<Message> message;
	while (true) {
		switch (blocked.wait(id, OVERDUE_CHECK_INTERVAL, may_be_asked, message, question)) {
			case BlockedCalls::Woken::ASKED:
				return false;
			case BlockedCalls::Woken::TIMED_OUT:
				if (!is_overdue(begun)) {
					continue;
				}
				message = blocked.give_up(id);
				if (message == nullptr) {
					cancel(id);
					answer.error = OVERDUE_ERROR;
					return true;
				}
				[[fallthrough]];
			case BlockedCalls::Woken::ANSWERED:
				// The blocked main thread makes the answer itself: it has nothing better to do.
				AnswerMaker::make_answer(*message);
				answer = std::move(message->answer);
				return true;
		}
	}
}

bool Worker::add_question(uint64_t question_id, uint64_t message_id, uint32_t which, const uint8_t *arguments, size_t size) {
	if ((may_ask.load(std::memory_order_acquire) & 1u << which) == 0) {
		return false;
	}
	if (size == 0) { // only asked whether there is such a function
		return true;
	}
	collect();
	if (stop_wanted.load() || queue.has_barrier()) {
		return false;
	}
	blocked.add_question({question_id, message_id, which, std::vector<uint8_t>(arguments, arguments + size)});
	return true;
}

std::vector<uint8_t> Worker::command_model(const uint8_t *command, size_t size) {
	is_in_the_game.store(true); // before it is asked whether the game ends: one of both threads sees it
	std::vector<uint8_t> answer = ask_embedding_model(command, size, stop_wanted.load());
	is_in_the_game.store(false);
	return answer;
}

std::vector<Question> Worker::take_questions() {
	return blocked.take_questions();
}

void Worker::reply(uint64_t question_id, const Variant &result, const std::string &error) {
	Variant parts = Variant::empty(GDEXTENSION_VARIANT_TYPE_ARRAY);
	parts.append(Variant::from_int(static_cast<int64_t>(question_id)));
	parts.append(result);
	parts.append(Variant::from_string(error));
	auto message = std::make_unique<Message>();
	message->method_id = REPLY_METHOD;
	message->payload = serialise(parts);
	if (message->payload.empty()) {
		reply(question_id, Variant(), "it returned a value that is nested too deeply, contains itself or is too large");
		return;
	}
	message->is_unordered = true;
	message->wants_answer = false;
	post(std::move(message));
}

void Worker::cancel(uint64_t id) {
	auto message = std::make_unique<Message>();
	message->cancels = id;
	message->wants_answer = false;
	post(std::move(message));
}

bool Worker::is_overdue(Clock::time_point posted) const {
	const Clock::time_point progress{Clock::duration(last_progress.load())};
	return Clock::now() - std::max(posted, progress) > timeout;
}

void Worker::note_progress() {
	last_progress.store(Clock::now().time_since_epoch().count());
}

// A frame does not wait for a line; it comes with the next one.
std::vector<LogLine> Worker::take_log() {
	const std::unique_lock<std::mutex> lock(mutex, std::try_to_lock);
	if (!lock.owns_lock()) {
		return {};
	}
	log_waits.store(false);
	return std::exchange(log, {});
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
	log_waits.store(true);
}

void Worker::run(RuntimeFolders folders) {
	platform::name_this_thread("rag_memory");
	platform::let_long_writes_fail();
	const auto started = Clock::now();
	const std::string error = python_runtime.start(folders, is_debug_build(), is_in_editor(), log_from_python, ask_from_python, command_model_from_python, ring_from_python);
	{
		std::lock_guard<std::mutex> lock(mutex);
		startup = Clock::now() - started;
		failure = error.empty() ? python_runtime.get_model_error() : error;
	}
	note_progress();
	state.store(error.empty() ? State::READY : State::FAILED, std::memory_order_release);
	if (error.empty()) {
		platform::yield_to_the_game();
		work();
	}
	close(error.empty() ? STOPPED_ERROR : error);
	python_runtime.stop();
	std::lock_guard<std::mutex> lock(mutex);
	has_ended = true;
	ended.notify_all();
}

// Answers what was not begun, and from now on everything that comes.
void Worker::close(const std::string &error) {
	is_closed.store(true);
	collect();
	for (std::unique_ptr<Message> &message : queue.take_all(false)) {
		answer_with_error(std::move(message), error);
	}
}

void Worker::answer_unread() {
	for (std::unique_ptr<Message> &message : inbox.take_all()) {
		answer_with_error(std::move(message), stop_wanted.load() ? STOPPED_ERROR : get_failure());
	}
}

// Puts what has come into its order.
void Worker::collect() {
	for (std::unique_ptr<Message> &message : inbox.take_all()) {
		if (message->cancels != 0) {
			forget(message->cancels);
			hand_over(std::move(message));
		} else {
			queue.push(std::move(message));
		}
	}
}

void Worker::forget(uint64_t id) {
	std::unique_ptr<Message> message = queue.take(id);
	if (message != nullptr) {
		hand_over(std::move(message));
	} else if (id == beginning || std::any_of(in_work.begin(), in_work.end(), [id](const InWork &item) { return item.message->id == id; })) {
		cancelled_in_work.insert(id);
	}
}

void Worker::work() {
	const Clock::time_point began = Clock::now();
	bool is_draining = false;
	while (true) {
		const bool is_anyone_waiting = std::any_of(in_work.begin(), in_work.end(), waits);
		const auto has_work = [this] {
			collect();
			return stop_wanted.load() || !queue.is_empty() || can_advance();
		};
		for (const Clock::time_point until = next_look(); !has_work() && Clock::now() < until;) {
			const OthersRun others;
			bell.wait(until);
		}
		const bool is_stopping = stop_wanted.load();
		const bool is_idle = queue.is_empty() && !can_advance();
		if (is_stopping) {
			std::lock_guard<std::mutex> lock(mutex);
			if ((is_idle && in_work.empty()) || Clock::now() > std::max(drain_deadline, began + DRAIN_LIMIT)) {
				return;
			}
		}
		if (is_stopping && !is_draining) {
			is_draining = true;
			for (std::unique_ptr<Message> &message : queue.take_all(true)) {
				answer_with_error(std::move(message), STOPPED_ERROR);
			}
		}
		const bool is_urged = is_anyone_waiting && (is_stopping || queue.starts_with_barrier());
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
		std::unique_ptr<Message> next = take_next(false);
		while (next != nullptr) {
			begin(std::move(next));
			next = take_next(true);
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

std::unique_ptr<Message> Worker::take_next(bool urgent_only) {
	collect();
	MessagesInWork messages;
	for (const InWork &item : in_work) {
		// The game may need the NPC to find its reply, and may take long: her other calls go on.
		messages.keys.push_back(item.is_waiting ? NO_KEY : item.message->key);
		messages.read_world = messages.read_world || (item.message->reads_world && !item.is_waiting);
		messages.has_barrier = messages.has_barrier || item.message->is_barrier;
	}
	return queue.take_next(messages, urgent_only);
}

void Worker::begin(std::unique_ptr<Message> message) {
	if (!may_have_idle_work) {
		may_have_idle_work = true;
		last_background_work = Clock::now();
	}
	const auto started = Clock::now();
	if (!message->is_unordered) { // whoever polls health() must not keep the background work waiting
		last_work = started;
	}
	const bool is_reply = message->method_id == REPLY_METHOD;
	beginning = message->id;
	const Progress progress = python_runtime.handle(*message, message->answer_bytes);
	beginning = 0;
	message->answer.waited = started - message->asked;
	message->answer.worked = Clock::now() - started;
	if (progress == Progress::DONE) {
		finish(std::move(message));
	} else {
		if (message->opens) {
			message->is_barrier = false;
			message->key = NO_KEY;
		}
		in_work.push_back({std::move(message), progress == Progress::WAITING});
	}
	if (is_reply) {
		wake_waiting();
	}
	note_progress();
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
	Message &message = *item.message;
	note_progress();
	collect();
	if (cancelled_in_work.count(message.id) != 0) {
		python_runtime.cancel(message.id, message.answer_bytes);
	} else {
		const auto resumed = Clock::now();
		const Progress progress = python_runtime.resume(message.id, message.answer_bytes);
		message.answer.worked += Clock::now() - resumed;
		if (progress != Progress::WAITING) {
			last_work = Clock::now();
		}
		if (progress != Progress::DONE) {
			item.is_waiting = progress == Progress::WAITING;
			return;
		}
	}
	finish(std::move(item.message));
	in_work.erase(in_work.begin() + static_cast<std::ptrdiff_t>(turn));
}

void Worker::finish(std::unique_ptr<Message> message) {
	cancelled_in_work.erase(message->id);
	if (message->wants_answer && message->answer_bytes.empty() && message->answer.error.empty()) {
		message->answer.error = "An error inside RAG Memory; the output says more. Please report it.";
	}
	hand_over(std::move(message));
}

void Worker::work_in_the_background() {
	auto signals = std::make_unique<Message>(); // nobody asked: there are only signals to emit
	signals->wants_answer = false;
	const Progress progress = python_runtime.idle(signals->answer_bytes);
	may_have_idle_work = progress != Progress::DONE;
	idle_work_waits = progress == Progress::WAITING;
	last_background_work = Clock::now();
	if (!signals->answer_bytes.empty()) {
		hand_over(std::move(signals));
	}
}

void Worker::stop() {
	std::unique_lock<std::mutex> lock(mutex);
	drain_deadline = Clock::now() + DRAIN_LIMIT;
	stop_wanted.store(true);
	if (!thread.joinable()) {
		state.store(State::STOPPED, std::memory_order_release);
		return;
	}
	bell.ring();
	// A thread that still loads Python's libraries, or runs a script of the game, crashes when the process ends around it.
	const Clock::time_point unsafe_deadline = Clock::now() + UNSAFE_LIMIT;
	bool was_unsafe = false;
	do {
		was_unsafe = state.load() == State::STARTING || is_in_the_game.load();
		is_abandoned = !ended.wait_for(lock, JOIN_LIMIT, [this] { return has_ended; });
	} while (is_abandoned && was_unsafe && Clock::now() < unsafe_deadline);
	lock.unlock();
	if (is_abandoned) {
		thread.detach(); // the library stays loaded (keep_loaded()); the thread touches the engine no more
	} else {
		thread.join();
	}
	maker.stop();
	blocked.answer_all(STOPPED_ERROR);
	state.store(State::STOPPED, std::memory_order_release);
}

} // namespace rag_memory
