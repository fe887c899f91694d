#include "python/python_api.h"

#include "platform/platform.h"

namespace rag_memory {

PythonApi python;

std::string PythonApi::load(const std::string &library_file) {
	std::string error;
	void *library = platform::open_library(library_file, error);
	if (library == nullptr) {
		return error;
	}
	const char *missing = nullptr;
	const auto look_up = [library, &missing](const char *name) {
		void *address = platform::find_symbol(library, name);
		if (address == nullptr) {
			missing = name;
		}
		return address;
	};
#define RAG_MEMORY_LOOK_UP(name) name = reinterpret_cast<decltype(name)>(look_up(#name))
	RAG_MEMORY_LOOK_UP(PyPreConfig_InitIsolatedConfig);
	RAG_MEMORY_LOOK_UP(Py_PreInitialize);
	RAG_MEMORY_LOOK_UP(PyConfig_InitIsolatedConfig);
	RAG_MEMORY_LOOK_UP(PyConfig_SetBytesString);
	RAG_MEMORY_LOOK_UP(PyConfig_Clear);
	RAG_MEMORY_LOOK_UP(PyWideStringList_Append);
	RAG_MEMORY_LOOK_UP(PyStatus_Exception);
	RAG_MEMORY_LOOK_UP(Py_InitializeFromConfig);
	RAG_MEMORY_LOOK_UP(Py_FinalizeEx);
	RAG_MEMORY_LOOK_UP(PyEval_SaveThread);
	RAG_MEMORY_LOOK_UP(PyEval_RestoreThread);
	RAG_MEMORY_LOOK_UP(Py_DecodeLocale);
	RAG_MEMORY_LOOK_UP(PyMem_RawFree);
	RAG_MEMORY_LOOK_UP(Py_IncRef);
	RAG_MEMORY_LOOK_UP(Py_DecRef);
	RAG_MEMORY_LOOK_UP(PyImport_ImportModule);
	RAG_MEMORY_LOOK_UP(PyObject_CallMethod);
	RAG_MEMORY_LOOK_UP(PyObject_Str);
	RAG_MEMORY_LOOK_UP(PyCMethod_New);
	RAG_MEMORY_LOOK_UP(PyArg_ParseTuple);
	RAG_MEMORY_LOOK_UP(PyBytes_FromStringAndSize);
	RAG_MEMORY_LOOK_UP(PyBytes_AsStringAndSize);
	RAG_MEMORY_LOOK_UP(PyUnicode_AsEncodedString);
	RAG_MEMORY_LOOK_UP(PyErr_Fetch);
	RAG_MEMORY_LOOK_UP(PyErr_NormalizeException);
	RAG_MEMORY_LOOK_UP(PyErr_Clear);
	RAG_MEMORY_LOOK_UP(PyUnicode_FromString);
	RAG_MEMORY_LOOK_UP(PyUnicode_Join);
	RAG_MEMORY_LOOK_UP(PyBool_FromLong);
#undef RAG_MEMORY_LOOK_UP
	none = reinterpret_cast<PyObject *>(look_up("_Py_NoneStruct"));
	no = reinterpret_cast<PyObject *>(look_up("_Py_FalseStruct"));
	return missing == nullptr ? "" : std::string("it has no ") + missing;
}

std::string PythonApi::text_of(PyObject *unicode) const {
	std::string text;
	PyObject *encoded = PyUnicode_AsEncodedString(unicode, "utf-8", "replace");
	char *data = nullptr;
	Py_ssize_t size = 0;
	if (encoded != nullptr && PyBytes_AsStringAndSize(encoded, &data, &size) == 0) {
		text.assign(data, static_cast<size_t>(size));
	}
	PyErr_Clear();
	Py_DecRef(encoded);
	return text;
}

std::string PythonApi::take_exception() const {
	PyObject *type = nullptr;
	PyObject *value = nullptr;
	PyObject *traceback = nullptr;
	PyErr_Fetch(&type, &value, &traceback);
	PyErr_NormalizeException(&type, &value, &traceback);
	std::string text;
	PyObject *module = PyImport_ImportModule("traceback");
	PyObject *lines = module == nullptr || value == nullptr
			? nullptr
			: PyObject_CallMethod(module, "format_exception", "OOO", type, value, traceback != nullptr ? traceback : none);
	if (lines != nullptr) {
		PyObject *separator = PyUnicode_FromString("");
		PyObject *joined = PyUnicode_Join(separator, lines);
		if (joined != nullptr) {
			text = text_of(joined);
		}
		Py_DecRef(joined);
		Py_DecRef(separator);
	} else if (value != nullptr) {
		PyObject *description = PyObject_Str(value);
		if (description != nullptr) {
			text = text_of(description);
		}
		Py_DecRef(description);
	}
	PyErr_Clear();
	for (PyObject *object : {lines, module, type, value, traceback}) {
		Py_DecRef(object);
	}
	return text.empty() ? "unknown Python error" : text;
}

} // namespace rag_memory
