#include "engine/utf8.h"

namespace rag_memory {

namespace {

constexpr uint32_t LEAST[] = {0, 0x80, 0x800, 0x10000}; // by how many bytes follow the first one
constexpr uint32_t FIRST_SURROGATE = 0xD800;
constexpr uint32_t LAST_SURROGATE = 0xDFFF;
constexpr uint32_t LAST_LETTER = 0x10FFFF;

} // namespace

bool read_utf8(const std::string &text, std::vector<uint32_t> &letters) {
	for (size_t i = 0; i < text.size();) {
		const auto first = static_cast<uint8_t>(text[i++]);
		const size_t more = first < 0x80 ? 0 : (first & 0xE0) == 0xC0 ? 1
				: (first & 0xF0) == 0xE0							  ? 2
				: (first & 0xF8) == 0xF0							  ? 3
																	  : text.size();
		if (more > text.size() - i) {
			return false;
		}
		uint32_t letter = more == 0 ? first : first & (0x3Fu >> more);
		for (const size_t end = i + more; i < end; i++) {
			const auto next = static_cast<uint8_t>(text[i]);
			if ((next & 0xC0) != 0x80) {
				return false;
			}
			letter = letter << 6 | (next & 0x3Fu);
		}
		if (letter < LEAST[more] || letter > LAST_LETTER || (letter >= FIRST_SURROGATE && letter <= LAST_SURROGATE)) {
			return false;
		}
		letters.push_back(letter);
	}
	return true;
}

bool is_blank(uint32_t letter) {
	return letter <= 0x20 || letter == 0x85 || letter == 0xA0 || letter == 0x1680 || (letter >= 0x2000 && letter <= 0x206F) ||
			letter == 0x3000 || letter == 0xFEFF;
}

} // namespace rag_memory
