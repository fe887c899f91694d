// Text letter by letter.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rag_memory {

// The code points of a text; false when it is not valid UTF-8.
bool read_utf8(const std::string &text, std::vector<uint32_t> &letters);
// Whether Python's str.strip() may take a letter away, or the ids of NPCs do without it at their ends. Some more are
// among them, such as long dashes.
bool is_blank(uint32_t letter);

} // namespace rag_memory
