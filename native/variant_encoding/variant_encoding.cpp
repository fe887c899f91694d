// A Python extension module: plain Python values in Godot's binary Variant format (`var_to_bytes`), and answers in a
// shorter one, in which each text comes once.
//
// Every answer takes this way. In Python it cost a millisecond of the worker for 27 memories. See
// python/rag_memory/godot/variant_codec.py, which also has the other direction, and answer_format.h.
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <cstdint>
#include <cstring>

#include "messages/answer_format.h"

namespace {

using rag_memory::AnswerTag;
using rag_memory::FIRST_REFERENCE;
using rag_memory::SHORT_REFERENCES;

// Types of Variants, and flags beside them.
constexpr uint32_t NIL = 0;
constexpr uint32_t BOOL = 1;
constexpr uint32_t INT = 2;
constexpr uint32_t FLOAT = 3;
constexpr uint32_t STRING = 4;
constexpr uint32_t DICTIONARY = 27;
constexpr uint32_t ARRAY = 28;
constexpr uint32_t PACKED_STRING_ARRAY = 34;
constexpr uint32_t IN_64_BITS = 1U << 16;
constexpr uint32_t TYPED_BUILTIN = 1U << 16;

constexpr Py_ssize_t MOST_ITEMS = 0x7FFFFFFF;

// Interned names, made once with the module.
PyObject *opaque_key = nullptr;
PyObject *items_key = nullptr;
PyObject *items_name = nullptr;
PyObject *item_type_name = nullptr;
PyObject *decode_base64 = nullptr;

// The bytes written so far. What fails sets a Python exception and returns false.
class Writer {
public:
	// `written_texts`: a dict for the numbers of the texts of an answer; null for Godot's own format.
	Writer(PyObject *typed_list_class, PyObject *packed_strings_class, PyObject *written_texts) :
			typed_list(typed_list_class), packed_strings(packed_strings_class), texts(written_texts) {}
	~Writer() { PyMem_Free(data); }
	Writer(const Writer &) = delete;
	Writer &operator=(const Writer &) = delete;

	bool value(PyObject *object);
	PyObject *bytes() const { return PyBytes_FromStringAndSize(data, size); }

private:
	char *claim(Py_ssize_t count) {
		if (count > capacity - size) {
			const Py_ssize_t wanted = 2 * capacity + count + 4096;
			char *larger = static_cast<char *>(PyMem_Realloc(data, static_cast<size_t>(wanted)));
			if (larger == nullptr) {
				PyErr_NoMemory();
				return nullptr;
			}
			data = larger;
			capacity = wanted;
		}
		char *place = data + size;
		size += count;
		return place;
	}
	template <class Number>
	bool headed(uint32_t header, Number number) {
		char *place = claim(static_cast<Py_ssize_t>(sizeof(header) + sizeof(number)));
		if (place == nullptr) {
			return false;
		}
		std::memcpy(place, &header, sizeof(header));
		std::memcpy(place + sizeof(header), &number, sizeof(number));
		return true;
	}
	bool count(uint32_t header, Py_ssize_t items) {
		if (items > MOST_ITEMS) {
			PyErr_SetString(PyExc_ValueError, "a list or dictionary is too long for a Variant");
			return false;
		}
		if (texts == nullptr) {
			return headed(header, static_cast<uint32_t>(items));
		}
		const AnswerTag kind = header == DICTIONARY ? AnswerTag::DICTIONARY : header == ARRAY ? AnswerTag::ARRAY
																							  : AnswerTag::PACKED_STRINGS;
		return tag(kind) && variable(static_cast<uint64_t>(items));
	}
	bool put(const void *bytes, Py_ssize_t length) {
		char *place = claim(length);
		if (place != nullptr) {
			std::memcpy(place, bytes, static_cast<size_t>(length));
		}
		return place != nullptr;
	}
	bool tag(AnswerTag kind) { return put(&kind, 1); }
	// Seven bits of the number in each byte, the lowest first; all but the last have the highest bit.
	bool variable(uint64_t number) {
		uint8_t bytes[10];
		Py_ssize_t used = 0;
		for (; number >= 0x80; number >>= 7) {
			bytes[used++] = static_cast<uint8_t>(number | 0x80);
		}
		bytes[used++] = static_cast<uint8_t>(number);
		return put(bytes, used);
	}
	// A length, the text and the bytes that fill it up to a multiple of four; inside packed arrays with a NUL.
	bool characters(const char *text, Py_ssize_t length, bool has_nul) {
		if (texts != nullptr) {
			return tag(AnswerTag::TEXT) && variable(static_cast<uint64_t>(length)) && put(text, length);
		}
		const Py_ssize_t counted = length + (has_nul ? 1 : 0);
		const Py_ssize_t padded = (counted + 3) / 4 * 4;
		if (counted > MOST_ITEMS) {
			PyErr_SetString(PyExc_ValueError, "a text is too long for a Variant");
			return false;
		}
		char *place = claim(4 + padded);
		if (place == nullptr) {
			return false;
		}
		const auto written = static_cast<uint32_t>(counted);
		std::memcpy(place, &written, sizeof(written));
		std::memcpy(place + 4, text, static_cast<size_t>(length));
		std::memset(place + 4 + length, 0, static_cast<size_t>(padded - length));
		return true;
	}
	bool header(uint32_t kind) {
		char *place = claim(4);
		if (place != nullptr) {
			std::memcpy(place, &kind, sizeof(kind));
		}
		return place != nullptr;
	}
	bool text(PyObject *unicode, bool has_nul);
	bool text_of_answer(PyObject *unicode);
	bool number(double number);
	bool integer(PyObject *object);
	bool list(PyObject *items);
	bool pairs(PyObject *items);
	bool dictionary(PyObject *object);
	bool opaque(PyObject *base64);
	bool typed(PyObject *object);
	bool packed(PyObject *object);
	bool nested(PyObject *object);

	PyObject *typed_list;
	PyObject *packed_strings;
	PyObject *texts;
	char *data = nullptr;
	Py_ssize_t size = 0;
	Py_ssize_t capacity = 0;
};

bool Writer::text(PyObject *unicode, bool has_nul) {
	if (PyUnicode_READY(unicode) != 0) {
		return false;
	}
	if (PyUnicode_IS_ASCII(unicode)) {
		return characters(static_cast<const char *>(PyUnicode_DATA(unicode)), PyUnicode_GET_LENGTH(unicode), has_nul);
	}
	// Not PyUnicode_AsUTF8AndSize: the string would keep the copy for as long as it lives.
	PyObject *encoded = PyUnicode_AsEncodedString(unicode, "utf-8", "replace");
	const bool done = encoded != nullptr && characters(PyBytes_AS_STRING(encoded), PyBytes_GET_SIZE(encoded), has_nul);
	Py_XDECREF(encoded);
	return done;
}

// A text that came before is its number.
bool Writer::text_of_answer(PyObject *unicode) {
	PyObject *number = PyDict_GetItemWithError(texts, unicode);
	if (number != nullptr) {
		const uint64_t index = PyLong_AsUnsignedLongLong(number);
		const auto reference = static_cast<uint8_t>(FIRST_REFERENCE + index);
		return index < SHORT_REFERENCES ? put(&reference, 1) : tag(AnswerTag::REFERENCE) && variable(index);
	}
	number = PyErr_Occurred() == nullptr ? PyLong_FromSsize_t(PyDict_GET_SIZE(texts)) : nullptr;
	const bool done = number != nullptr && PyDict_SetItem(texts, unicode, number) == 0 && text(unicode, false);
	Py_XDECREF(number);
	return done;
}

bool Writer::number(double number) {
	if (texts == nullptr) {
		return headed(FLOAT | IN_64_BITS, number);
	}
	const auto half = static_cast<float>(number);
	if (static_cast<double>(half) == number) {
		return tag(AnswerTag::FLOAT_32) && put(&half, sizeof(half));
	}
	return tag(AnswerTag::FLOAT_64) && put(&number, sizeof(number));
}

bool Writer::integer(PyObject *object) {
	int overflow = 0;
	const long long number = PyLong_AsLongLongAndOverflow(object, &overflow);
	if (number == -1 && overflow == 0 && PyErr_Occurred() != nullptr) {
		return false;
	}
	if (overflow != 0) {
		const double nearest = PyLong_AsDouble(object);
		return (nearest != -1.0 || PyErr_Occurred() == nullptr) && this->number(nearest);
	}
	if (texts != nullptr) {
		// The sign is the lowest bit.
		return tag(AnswerTag::INTEGER) && variable(static_cast<uint64_t>(number) << 1 ^ (number < 0 ? UINT64_MAX : 0));
	}
	if (number >= INT32_MIN && number <= INT32_MAX) {
		return headed(INT, static_cast<int32_t>(number));
	}
	return headed(INT | IN_64_BITS, static_cast<int64_t>(number));
}

bool Writer::list(PyObject *items) {
	// A list may not change here: nothing below runs Python code.
	PyObject **each = PySequence_Fast_ITEMS(items);
	const Py_ssize_t number = PySequence_Fast_GET_SIZE(items);
	for (Py_ssize_t i = 0; i < number; i++) {
		if (!value(each[i])) {
			return false;
		}
	}
	return true;
}

bool Writer::opaque(PyObject *base64) {
	PyObject *encoded = PyObject_CallOneArg(decode_base64, base64);
	if (encoded == nullptr) {
		return false;
	}
	const Py_ssize_t length = PyBytes_GET_SIZE(encoded);
	const bool is_headed = texts == nullptr || (tag(AnswerTag::ENGINE_VALUE) && variable(static_cast<uint64_t>(length)));
	const bool done = is_headed && put(PyBytes_AS_STRING(encoded), length);
	Py_DECREF(encoded);
	return done;
}

// [[key, value], ...]
bool Writer::pairs(PyObject *items) {
	const Py_ssize_t number = PyList_GET_SIZE(items);
	if (!count(DICTIONARY, number)) {
		return false;
	}
	for (Py_ssize_t i = 0; i < number; i++) {
		PyObject *pair = PyList_GET_ITEM(items, i);
		if ((!PyList_Check(pair) && !PyTuple_Check(pair)) || PySequence_Fast_GET_SIZE(pair) != 2) {
			PyErr_SetString(PyExc_ValueError, "an item of a dictionary has to be [key, value]");
			return false;
		}
		if (!list(pair)) {
			return false;
		}
	}
	return true;
}

bool Writer::dictionary(PyObject *object) {
	const Py_ssize_t number = PyDict_GET_SIZE(object);
	if (number == 1) {
		PyObject *base64 = PyDict_GetItemWithError(object, opaque_key);
		if (base64 != nullptr && PyUnicode_Check(base64)) {
			return opaque(base64);
		}
		PyObject *items = base64 == nullptr && PyErr_Occurred() == nullptr ? PyDict_GetItemWithError(object, items_key) : nullptr;
		if (items != nullptr && PyList_Check(items)) {
			return pairs(items);
		}
		if (PyErr_Occurred() != nullptr) {
			return false;
		}
	}
	if (!count(DICTIONARY, number)) {
		return false;
	}
	Py_ssize_t position = 0;
	PyObject *key = nullptr;
	PyObject *item = nullptr;
	while (PyDict_Next(object, &position, &key, &item)) {
		if (!value(key) || !value(item)) {
			return false;
		}
	}
	return true;
}

bool Writer::typed(PyObject *object) {
	PyObject *item_type = PyObject_GetAttr(object, item_type_name);
	PyObject *items = item_type != nullptr ? PyObject_GetAttr(object, items_name) : nullptr;
	bool done = false;
	if (items != nullptr && !PyList_Check(items)) {
		PyErr_SetString(PyExc_TypeError, "the items of a TypedList have to be a list");
	} else if (items != nullptr) {
		const unsigned long kind = PyLong_AsUnsignedLong(item_type);
		if (PyErr_Occurred() == nullptr && texts != nullptr) {
			done = tag(AnswerTag::TYPED_ARRAY) && variable(kind) && variable(static_cast<uint64_t>(PyList_GET_SIZE(items))) && list(items);
		} else if (PyErr_Occurred() == nullptr) {
			done = header(ARRAY | TYPED_BUILTIN) && count(static_cast<uint32_t>(kind), PyList_GET_SIZE(items)) && list(items);
		}
	}
	Py_XDECREF(items);
	Py_XDECREF(item_type);
	return done;
}

bool Writer::packed(PyObject *object) {
	PyObject *items = PyObject_GetAttr(object, items_name);
	bool done = false;
	if (items != nullptr && !PyList_Check(items)) {
		PyErr_SetString(PyExc_TypeError, "the items of PackedStrings have to be a list");
	} else if (items != nullptr) {
		done = count(PACKED_STRING_ARRAY, PyList_GET_SIZE(items));
		for (Py_ssize_t i = 0; done && i < PyList_GET_SIZE(items); i++) {
			PyObject *each = PyList_GET_ITEM(items, i);
			if (!PyUnicode_Check(each)) {
				PyErr_Format(PyExc_TypeError, "a %s in PackedStrings", Py_TYPE(each)->tp_name);
				done = false;
			} else {
				done = texts == nullptr ? text(each, true) : text_of_answer(each);
			}
		}
	}
	Py_XDECREF(items);
	return done;
}

bool Writer::nested(PyObject *object) {
	if (Py_EnterRecursiveCall(" while encoding a value") != 0) {
		return false;
	}
	bool done = false;
	if (PyDict_Check(object)) {
		done = dictionary(object);
	} else if (PyList_Check(object) || PyTuple_Check(object)) {
		done = count(ARRAY, PySequence_Fast_GET_SIZE(object)) && list(object);
	} else if (reinterpret_cast<PyObject *>(Py_TYPE(object)) == typed_list) {
		done = typed(object);
	} else if (reinterpret_cast<PyObject *>(Py_TYPE(object)) == packed_strings) {
		done = packed(object);
	} else {
		PyErr_Format(PyExc_TypeError, "a %s has no Variant form", Py_TYPE(object)->tp_name);
	}
	Py_LeaveRecursiveCall();
	return done;
}

// Subclasses (an enum member, a float of numpy) are what they are derived from.
bool Writer::value(PyObject *object) {
	if (PyUnicode_Check(object)) {
		return texts != nullptr ? text_of_answer(object) : header(STRING) && text(object, false);
	}
	if (PyFloat_Check(object)) {
		return number(PyFloat_AS_DOUBLE(object));
	}
	if (object == Py_None) {
		return texts != nullptr ? tag(AnswerTag::NIL) : header(NIL);
	}
	if (PyBool_Check(object)) {
		if (texts != nullptr) {
			return tag(object == Py_True ? AnswerTag::YES : AnswerTag::NO);
		}
		return headed(BOOL, static_cast<uint32_t>(object == Py_True ? 1 : 0));
	}
	if (PyLong_Check(object)) {
		return integer(object);
	}
	return nested(object);
}

PyObject *encode(PyObject *, PyObject *arguments) {
	PyObject *value = nullptr;
	PyObject *typed_list = nullptr;
	PyObject *packed_strings = nullptr;
	if (!PyArg_ParseTuple(arguments, "OOO", &value, &typed_list, &packed_strings)) {
		return nullptr;
	}
	Writer writer(typed_list, packed_strings, nullptr);
	return writer.value(value) ? writer.bytes() : nullptr;
}

PyObject *encode_answer(PyObject *, PyObject *arguments) {
	PyObject *value = nullptr;
	PyObject *typed_list = nullptr;
	PyObject *packed_strings = nullptr;
	if (!PyArg_ParseTuple(arguments, "OOO", &value, &typed_list, &packed_strings)) {
		return nullptr;
	}
	PyObject *texts = PyDict_New();
	if (texts == nullptr) {
		return nullptr;
	}
	Writer writer(typed_list, packed_strings, texts);
	PyObject *bytes = writer.value(value) ? writer.bytes() : nullptr;
	Py_DECREF(texts);
	return bytes;
}

PyMethodDef methods[] = {
		{"encode", encode, METH_VARARGS,
				"encode(value, typed_list, packed_strings) -> bytes\n\n"
				"The serialised Variant of a plain Python value. The two classes are those whose objects stand for typed\n"
				"Arrays (item_type, items) and PackedStringArrays (items). TypeError for anything else."},
		{"encode_answer", encode_answer, METH_VARARGS,
				"encode_answer(value, typed_list, packed_strings) -> bytes\n\nThe same in the format of answers."},
		{nullptr, nullptr, 0, nullptr},
};

PyModuleDef module = {PyModuleDef_HEAD_INIT, "variant_encoding", "Python values in Godot's binary format.", -1, methods, nullptr, nullptr, nullptr, nullptr};

} // namespace

PyMODINIT_FUNC PyInit_variant_encoding() {
	opaque_key = PyUnicode_InternFromString("$godot");
	items_key = PyUnicode_InternFromString("$godot_items");
	items_name = PyUnicode_InternFromString("items");
	item_type_name = PyUnicode_InternFromString("item_type");
	PyObject *binascii = PyImport_ImportModule("binascii");
	if (binascii == nullptr) {
		return nullptr;
	}
	decode_base64 = PyObject_GetAttrString(binascii, "a2b_base64");
	Py_DECREF(binascii);
	return decode_base64 != nullptr ? PyModule_Create(&module) : nullptr;
}
