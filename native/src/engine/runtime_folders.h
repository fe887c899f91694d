// Where the runtime, the model and the saves of this game lie.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rag_memory {

struct RuntimeFolders {
	std::string runtime; // holds lib/, stdlib/ and site-packages/
	std::string models;
	std::string prepared_saves;		// what a new save may begin as; need not exist
	std::string development_source; // comes first on sys.path; empty outside the project itself
	std::string saves;
	std::string user_data;
	std::string vector_index;	 // how memories are found, as the project setting says
	std::string checked_runtime; // a file of the user's: the installation that was seen whole last
	std::vector<uint8_t> rules;	 // the files of the game's own rules
	std::string remedy;			 // what to do when something is missing in them
};

// Everything is found from the place of this library, and from nowhere else: what lies there runs with the game's rights.
// In a project the library lies in the addon's bin/; in an exported game it lies beside the program, and its data near it.
RuntimeFolders find_folders();
// Where the server part of this game is, if it has one.
std::string server_part_folder();

} // namespace rag_memory
