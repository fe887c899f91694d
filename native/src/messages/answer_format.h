// The format in which answers leave Python: shorter than the engine's own, because each text comes once. Keys and texts
// of an answer with many memories repeat, and making a String of each took most of the time of making the answer.
//
// A value is a tag and what follows it. Whole numbers have seven bits in each byte, the lowest first; all bytes but the
// last have the highest bit. A byte from FIRST_REFERENCE on is a text by its number, in the order in which texts come.
#pragma once

#include <cstdint>

namespace rag_memory {

enum class AnswerTag : uint8_t {
	NIL = 0,
	NO = 1,
	YES = 2,
	INTEGER = 3,  // a whole number, whose lowest bit is the sign
	FLOAT_32 = 4, // of which nothing is lost
	FLOAT_64 = 5,
	TEXT = 6,			 // length, UTF-8; the next number is its own
	REFERENCE = 7,		 // number of a text
	ARRAY = 8,			 // count, values
	TYPED_ARRAY = 9,	 // type of Variant, count, values
	DICTIONARY = 10,	 // count, keys and values in turn
	PACKED_STRINGS = 11, // count, texts
	ENGINE_VALUE = 12,	 // length, a Variant as var_to_bytes() writes it
};

constexpr uint8_t FIRST_REFERENCE = 0x80;
constexpr uint64_t SHORT_REFERENCES = 0x80;

} // namespace rag_memory
