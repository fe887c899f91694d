// Makes the Variants of an answer (native/src/messages/answer_format.h). Equal texts of an answer share one String.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/variant.h"

namespace rag_memory {

class AnswerReader {
public:
	AnswerReader(const uint8_t *data, size_t size) :
			at(data), end(data + size) {}
	// The next value. What Python did not write, which the bytes cannot be, ends as null.
	Variant read();

private:
	void read_into(GDExtensionVariantPtr place);
	uint64_t whole_number();
	// The next bytes, or null when there are not so many.
	const uint8_t *take(uint64_t count);
	// How many values follow; none needs less than a byte.
	int64_t count();
	template <class Number>
	double number();
	const Variant &text();
	const Variant &text_at(uint64_t index) const;
	Variant array(Variant array);
	Variant packed_strings();
	Variant dictionary();
	Variant engine_value();

	const uint8_t *at;
	const uint8_t *end;
	std::vector<Variant> texts;
	const Variant none;
};

} // namespace rag_memory
