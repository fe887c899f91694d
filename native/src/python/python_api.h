// The functions of libpython the host uses, looked up by name: nothing links against libpython.
#pragma once

#include <Python.h>

#include <string>

namespace rag_memory {

struct PythonApi {
	decltype(&::PyPreConfig_InitIsolatedConfig) PyPreConfig_InitIsolatedConfig = nullptr;
	decltype(&::Py_PreInitialize) Py_PreInitialize = nullptr;
	decltype(&::PyConfig_InitIsolatedConfig) PyConfig_InitIsolatedConfig = nullptr;
	decltype(&::PyConfig_SetBytesString) PyConfig_SetBytesString = nullptr;
	decltype(&::PyConfig_Clear) PyConfig_Clear = nullptr;
	decltype(&::PyWideStringList_Append) PyWideStringList_Append = nullptr;
	decltype(&::PyStatus_Exception) PyStatus_Exception = nullptr;
	decltype(&::Py_InitializeFromConfig) Py_InitializeFromConfig = nullptr;
	decltype(&::Py_FinalizeEx) Py_FinalizeEx = nullptr;
	decltype(&::PyEval_SaveThread) PyEval_SaveThread = nullptr;
	decltype(&::PyEval_RestoreThread) PyEval_RestoreThread = nullptr;
	decltype(&::Py_DecodeLocale) Py_DecodeLocale = nullptr;
	decltype(&::PyMem_RawFree) PyMem_RawFree = nullptr;
	decltype(&::Py_IncRef) Py_IncRef = nullptr;
	decltype(&::Py_DecRef) Py_DecRef = nullptr;
	decltype(&::PyImport_ImportModule) PyImport_ImportModule = nullptr;
	decltype(&::PyObject_CallMethod) PyObject_CallMethod = nullptr;
	decltype(&::PyObject_Str) PyObject_Str = nullptr;
	decltype(&::PyCMethod_New) PyCMethod_New = nullptr;
	decltype(&::PyArg_ParseTuple) PyArg_ParseTuple = nullptr;
	decltype(&::PyBytes_FromStringAndSize) PyBytes_FromStringAndSize = nullptr;
	decltype(&::PyBytes_AsStringAndSize) PyBytes_AsStringAndSize = nullptr;
	decltype(&::PyUnicode_AsEncodedString) PyUnicode_AsEncodedString = nullptr;
	decltype(&::PyErr_Fetch) PyErr_Fetch = nullptr;
	decltype(&::PyErr_NormalizeException) PyErr_NormalizeException = nullptr;
	decltype(&::PyErr_Clear) PyErr_Clear = nullptr;
	decltype(&::PyUnicode_FromString) PyUnicode_FromString = nullptr;
	decltype(&::PyUnicode_Join) PyUnicode_Join = nullptr;
	decltype(&::PyBool_FromLong) PyBool_FromLong = nullptr;
	PyObject *none = nullptr;
	PyObject *no = nullptr; // False

	// Opens libpython and looks everything up. Returns an empty string, or why that failed.
	std::string load(const std::string &library_file);

	// The current Python exception with its traceback as text; clears it.
	std::string take_exception() const;

	// The text of a str object as UTF-8.
	std::string text_of(PyObject *unicode) const;
};

extern PythonApi python;

} // namespace rag_memory
