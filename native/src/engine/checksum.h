#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace rag_memory {

// The CRC-32 of zip files.
class Checksum {
public:
	void add(const char *data, size_t size) {
		for (size_t i = 0; i < size; i++) {
			state = table()[(state ^ static_cast<uint8_t>(data[i])) & 0xFF] ^ (state >> 8);
		}
	}
	uint32_t value() const { return ~state; }

private:
	using Table = std::array<uint32_t, 256>;
	static const Table &table() {
		static const Table made = [] {
			Table result;
			for (uint32_t i = 0; i < result.size(); i++) {
				uint32_t entry = i;
				for (int bit = 0; bit < 8; bit++) {
					entry = (entry >> 1) ^ ((entry & 1) != 0 ? 0xEDB88320U : 0U);
				}
				result[i] = entry;
			}
			return result;
		}();
		return made;
	}

	uint32_t state = 0xFFFFFFFFU;
};

} // namespace rag_memory
