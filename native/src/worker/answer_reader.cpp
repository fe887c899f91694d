#include "worker/answer_reader.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "messages/answer_format.h"

namespace rag_memory {

Variant AnswerReader::read() {
	Variant value;
	read_into(value.raw());
	return value;
}

void AnswerReader::read_into(GDExtensionVariantPtr place) {
	const uint8_t *head = take(1);
	if (head == nullptr) {
		return;
	}
	if (*head >= FIRST_REFERENCE) {
		put_in(place, text_at(*head - FIRST_REFERENCE));
		return;
	}
	const auto tag = static_cast<AnswerTag>(*head);
	switch (tag) {
		case AnswerTag::NIL:
			put_in(place, none);
			break;
		case AnswerTag::NO:
		case AnswerTag::YES: {
			const GDExtensionBool is_true = tag == AnswerTag::YES;
			put_in(place, GDEXTENSION_VARIANT_TYPE_BOOL, &is_true);
			break;
		}
		case AnswerTag::INTEGER: {
			const uint64_t encoded = whole_number();
			const auto integer = static_cast<int64_t>(encoded >> 1 ^ (0 - (encoded & 1)));
			put_in(place, GDEXTENSION_VARIANT_TYPE_INT, &integer);
			break;
		}
		case AnswerTag::FLOAT_32:
		case AnswerTag::FLOAT_64: {
			const double real = tag == AnswerTag::FLOAT_32 ? number<float>() : number<double>();
			put_in(place, GDEXTENSION_VARIANT_TYPE_FLOAT, &real);
			break;
		}
		case AnswerTag::TEXT:
			put_in(place, text());
			break;
		case AnswerTag::REFERENCE:
			put_in(place, text_at(whole_number()));
			break;
		case AnswerTag::ARRAY:
			put_in(place, array(Variant::empty(GDEXTENSION_VARIANT_TYPE_ARRAY)));
			break;
		case AnswerTag::TYPED_ARRAY: {
			const auto item_type = static_cast<GDExtensionVariantType>(whole_number());
			put_in(place, array(Variant::empty(TypeDeclaration{GDEXTENSION_VARIANT_TYPE_ARRAY, "", 0, "", 0, item_type})));
			break;
		}
		case AnswerTag::DICTIONARY:
			put_in(place, dictionary());
			break;
		case AnswerTag::PACKED_STRINGS:
			put_in(place, packed_strings());
			break;
		case AnswerTag::ENGINE_VALUE:
			put_in(place, engine_value());
			break;
	}
}

const uint8_t *AnswerReader::take(uint64_t count) {
	if (count > static_cast<uint64_t>(end - at)) {
		at = end;
		return nullptr;
	}
	return std::exchange(at, at + count);
}

uint64_t AnswerReader::whole_number() {
	uint64_t number = 0;
	for (int shift = 0; shift < 64; shift += 7) {
		const uint8_t *byte = take(1);
		if (byte == nullptr) {
			return 0;
		}
		number |= static_cast<uint64_t>(*byte & 0x7F) << shift;
		if (*byte < 0x80) {
			break;
		}
	}
	return number;
}

int64_t AnswerReader::count() {
	const uint64_t number = whole_number();
	return static_cast<int64_t>(std::min(number, static_cast<uint64_t>(end - at)));
}

template <class Number>
double AnswerReader::number() {
	Number number = 0;
	const uint8_t *bytes = take(sizeof(number));
	if (bytes != nullptr) {
		std::memcpy(&number, bytes, sizeof(number));
	}
	return static_cast<double>(number);
}

const Variant &AnswerReader::text() {
	const uint64_t size = whole_number();
	const uint8_t *bytes = take(size);
	texts.push_back(Variant::from_utf8(reinterpret_cast<const char *>(bytes), bytes == nullptr ? 0 : size));
	return texts.back();
}

const Variant &AnswerReader::text_at(uint64_t index) const {
	return index < texts.size() ? texts[index] : none;
}

Variant AnswerReader::array(Variant array) {
	const int64_t size = count();
	const NewItems items(array, size);
	for (int64_t i = 0; i < size; i++) {
		read_into(items.at(i));
	}
	return array;
}

Variant AnswerReader::packed_strings() {
	Variant strings = Variant::empty(GDEXTENSION_VARIANT_TYPE_PACKED_STRING_ARRAY);
	for (int64_t left = count(); left > 0; left--) {
		strings.append(read());
	}
	return strings;
}

Variant AnswerReader::dictionary() {
	Variant dictionary = Variant::empty(GDEXTENSION_VARIANT_TYPE_DICTIONARY);
	const NewValues values(dictionary);
	for (int64_t left = count(); left > 0; left--) {
		if (at != end && *at >= FIRST_REFERENCE) { // nearly every key: not copied
			const uint8_t *head = take(1);
			read_into(values.of(text_at(*head - FIRST_REFERENCE)));
		} else {
			const Variant key = read();
			read_into(values.of(key));
		}
	}
	return dictionary;
}

Variant AnswerReader::engine_value() {
	const uint64_t size = whole_number();
	const uint8_t *bytes = take(size);
	return bytes == nullptr ? Variant() : deserialise(bytes, size);
}

} // namespace rag_memory
