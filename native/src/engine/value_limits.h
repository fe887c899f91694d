// How large and how deep a value may be that is hashed, shown or sent to the worker. The engine follows a container that
// holds itself twice, or one that is shared at every level, along every path: it would not come back for years.
#pragma once

#include <cstdint>

#include "engine/variant.h"

namespace rag_memory {

// As deep as Python reads values, and as many as a save of a very large game has.
constexpr int MOST_LEVELS = 100;
constexpr int64_t MOST_VALUES = 4'000'000;

// Whether the value is within both limits. Its values are taken off `left`: as many as would be written, so that a
// container that lies in two places counts twice. Takes time in proportion to the containers there are.
bool is_within_limits(const Variant &value, int64_t &left);
bool is_within_limits(const Variant &value);

} // namespace rag_memory
