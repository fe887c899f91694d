// Makes the objects of the declared classes, and says what is particular to each class.
#pragma once

#include "engine/declaration.h"

namespace rag_memory {

// A new object of a declared class, with its instance.
GDExtensionObjectPtr create_object(const ClassDeclaration &declaration, bool notify_postinitialize);

} // namespace rag_memory
