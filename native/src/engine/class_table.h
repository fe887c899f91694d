// The classes that the Python declarations describe, read at start: those of every game from this library, and those of
// the server part from a file beside it, when the game has one.
#pragma once

#include <string>
#include <vector>

#include "engine/declaration.h"

namespace rag_memory {

// Call once, before any of the functions below. A server part that does not fit is said and left out.
void load_class_tables();

// All of them in the order in which they are registered; the server part's come last.
const std::vector<ClassDeclaration> &declared_classes();
// Whether it only adds to a class that is declared before.
bool is_addition(const ClassDeclaration &declaration);
// Null when it is no class of ours.
const ClassDeclaration *declared_class(const std::string &name);
// With those that are added to the class.
std::vector<const char *> signals_of(const std::string &class_name);
// Tells these methods from any others; with a + when there is a server part.
const std::string &method_table_key();

} // namespace rag_memory
