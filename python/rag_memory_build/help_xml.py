"""The F1 help page of a declared class, in the format of Godot's own class reference."""

from __future__ import annotations

from xml.sax.saxutils import escape, quoteattr

from rag_memory.godot.declare import Argument, GodotClass, Kind, Method, Property, Signal

from .godot_type import GodotType, literal
from .help_examples import EXAMPLES
from .help_text import bbcode, bbcode_of_method, linked


def help_xml(cls: GodotClass) -> str:
    """The F1 help page of a class, in the format of Godot's own class reference."""
    lines = [
        '<?xml version="1.0" encoding="UTF-8" ?>',
        f"<class name={quoteattr(cls.name)} inherits={quoteattr(cls.base)}>",
        f"<brief_description>{escape(bbcode(cls, cls.brief))}</brief_description>",
        f"<description>{escape(bbcode(cls, cls.description))}</description>",
        "<tutorials></tutorials>",
        "<methods>",
        *(text for m in cls.methods if not m.name.startswith("_") for text in _method_help(cls, m)),
        "</methods>",
        "<members>",
        *(_member_help(cls, p) for p in cls.properties),
        "</members>",
        "<signals>",
        *(
            f"<signal name={quoteattr(s.name)}>{_parameters_help(s.arguments)}"
            f"<description>{escape(_with_example(cls, s.name, _bbcode(cls, s)))}</description></signal>"
            for s in cls.signals
        ),
        "</signals>",
        "<constants>",
        *(
            f'<constant name={quoteattr(name)} value="{value}" enum={quoteattr(e.name)}>'
            f"{escape(linked(cls, doc))}</constant>"
            for e in cls.enums
            for name, value, doc in e.values
        ),
        "</constants>",
        "</class>",
    ]
    return "\n".join(lines)


def _with_example(cls: GodotClass, member: str, doc: str) -> str:
    example = EXAMPLES.get(f"{cls.name}.{member}")
    return f"{doc}\n[codeblock]\n{example.strip()}\n[/codeblock]" if example else doc


def _bbcode(cls: GodotClass, member: Signal) -> str:
    return bbcode(cls, member.doc, [argument.name for argument in member.arguments])


def _method_help(cls: GodotClass, method: Method) -> list[str]:
    def page(name: str, returned: str, enumeration: str, doc: str) -> str:
        qualifiers = ' qualifiers="const"' if method.const else ""
        enum_ = f" enum={quoteattr(enumeration)}" if enumeration else ""
        return (
            f"<method name={quoteattr(name)}{qualifiers}><return type={quoteattr(returned)}{enum_} />"
            f"{_parameters_help(method.arguments)}<description>{escape(doc)}</description></method>"
        )

    type_ = GodotType(method.returns)
    text = _with_example(cls, method.name, bbcode_of_method(cls, method))
    if method.kind == Kind.WORKER_ASYNC:
        return [page(method.name, "MemoryRequest", "", text)]
    pages = [page(method.name, type_.text, type_.enum, text)]
    if method.kind == Kind.WORKER:
        doc = f"Like [method {method.name}], but returns at once; the request completes with the result."
        pages.append(page(method.name + "_async", "MemoryRequest", "", doc))
    return pages


def _parameters_help(arguments: tuple[Argument, ...]) -> str:
    texts = []
    for index, argument in enumerate(arguments):
        default = f" default={quoteattr(literal(argument.default))}" if argument.has_default else ""
        type_ = GodotType(argument.type).text
        texts.append(
            f'<param index="{index}" name={quoteattr(argument.name)} type={quoteattr(type_)}{default} />'
        )
    return "".join(texts)


def _member_help(cls: GodotClass, property_: Property) -> str:
    type_ = property_type(cls, property_)
    enum_ = f" enum={quoteattr(type_.enum)}" if type_.enum else ""
    default = "Callable()" if type_.variant == "CALLABLE" else literal(property_.default)
    return (
        f"<member name={quoteattr(property_.name)} type={quoteattr(type_.text)}{enum_} "
        f"setter={quoteattr('set_' + property_.name)} getter={quoteattr(getter(property_))} "
        f"default={quoteattr(default)}>"
        f"{escape(_with_example(cls, property_.name, linked(cls, property_.doc)))}</member>"
    )


def getter(property_: Property) -> str:
    """The name of the method that returns a property."""
    reads_as_question = property_.type is bool and not property_.name.startswith("use_")
    return ("is_" if reads_as_question else "get_") + property_.name


def property_type(cls: GodotClass, property_: Property) -> GodotType:
    """The type of a property of a class."""
    return GodotType(property_.type, property_.hint, cls.name)
