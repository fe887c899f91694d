#include "engine/npc_key.h"

#include <algorithm>
#include <vector>

#include "engine/godot_api.h"
#include "engine/utf8.h"
#include "engine/variant.h"

namespace rag_memory {

namespace {

bool is_ascii(const std::string &text) {
	return std::all_of(text.begin(), text.end(), [](unsigned char letter) { return letter < 0x80; });
}

// Letters apart from their accents, and without them, whether they were written as one letter or as two.
std::string without_accents(const std::string &text) {
	static GDExtensionObjectPtr manager = godot.global_get_singleton(StringName("TextServerManager").get());
	bool ok = false;
	Variant server = Variant::from_object(manager).call(StringName("get_primary_interface"), {}, ok);
	const Variant stripped = ok ? server.call(StringName("strip_diacritics"), {Variant::from_string(text)}, ok) : Variant();
	return ok ? stripped.to_string() : text;
}

} // namespace

std::string npc_key(const std::string &npc_id) {
	const std::string text = is_ascii(npc_id) ? npc_id : without_accents(npc_id);
	std::vector<uint32_t> letters;
	if (!read_utf8(text, letters)) {
		return text;
	}
	std::string key;
	for (const uint32_t letter : letters) {
		if (!is_blank(letter)) {
			key.append(reinterpret_cast<const char *>(&letter), sizeof(letter));
		}
	}
	return key;
}

} // namespace rag_memory
