"""Declarations of Godot classes in Python: properties, methods, signals and enums with their F1 help.

A class of this package is declaration and implementation at once: `build.py native` reads the
declaration (without a running worker) and generates the C++ tables and the help pages from it; the
worker calls the implementation. classes.py lists the declared classes.
"""

from __future__ import annotations

import enum
import functools
import inspect
import typing
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple, NewType, TypeVar


class Kind(enum.IntEnum):
    """The way a method runs. The numbers are those of MethodKind in native/src/engine/declaration.h."""

    WORKER = 0
    """On the worker; exists as `x` (blocks until answered) and `x_async` (returns a MemoryRequest)."""
    WORKER_SYNC = 1
    """On the worker; only the blocking form."""
    WORKER_ASYNC = 2
    """On the worker; only the form that returns a MemoryRequest, under its plain name."""
    POST = 3
    """On the worker, in order with the calls around it; nothing is returned."""
    NATIVE = 4
    """In the native host, on the calling thread."""


class Variant:
    """Annotation of an argument or result of any type."""


class PackedStringArray(list[str]):
    """Annotation of a Godot PackedStringArray; a list of str in Python."""


class GodotCallable:
    """Annotation of a Godot Callable; it never leaves the native host."""


class MemoryRequest:
    """Annotation of a result of the Godot class MemoryRequest."""


class ResourceOptions(dict[str, Any]):
    """Annotation of an argument that is a Dictionary whose values may be Godot Resources.

    A Resource with a method `to_data()` arrives as what that returns, any other object as its `class` and,
    when it is a config of this package, its `values`. Both travel once, see shared_values.py. Values may also
    be Dictionaries with Resources, and these hold such Dictionaries.
    """


class Resources(list[Any]):
    """Annotation of an argument that is an Array whose items may be Godot Resources: see ResourceOptions."""


class MemoryNode:
    """Annotation of a property that holds a node RAGMemory."""


class AreaNode:
    """Annotation of a property that holds a node Area2D or Area3D."""


Flags = NewType("Flags", int)
"""Annotation of a property that is a sum of flags; its hint has them as "Hearing:1,Sight:2"."""

Error = NewType("Error", int)
"""Annotation of a result of Godot's global enum Error."""

NO_VALUES: dict[str, Any] = {}
"""The default of an argument that is a Dictionary."""

OK = Error(0)
FAILED = Error(1)


@dataclass(frozen=True)
class Argument:
    name: str
    type: Any
    default: Any = inspect.Parameter.empty

    @property
    def has_default(self) -> bool:
        return self.default is not inspect.Parameter.empty


class Signature(NamedTuple):
    """What GDScript sees of a method besides its name."""

    arguments: tuple[Argument, ...]
    returns: Any
    doc: str
    sliced: bool = False
    """It may take long, and other calls run between two slices."""


@dataclass(frozen=True)
class Method:
    name: str
    kind: Kind
    argument_names: tuple[str, ...]
    signature: Callable[[], Signature]
    """Reads the type hints of the function when it is first called: a start reads none."""
    carry_out: Callable[..., Any] | None = None
    """Gets the object and the arguments; a generator works in slices. None: the native host has it."""
    writes: bool = False
    barrier: bool = False
    opens: bool = False
    unordered: bool = False
    const: bool = False
    reads_world: bool = False
    """A call of an NPC that runs in order with those of MemoryWorld, too."""
    without_python: bool = False
    """The native host answers it, too, until a save is opened or changed."""

    @property
    def arguments(self) -> tuple[Argument, ...]:
        return self.signature().arguments

    @property
    def returns(self) -> Any:
        return self.signature().returns

    @property
    def doc(self) -> str:
        return self.signature().doc

    @property
    def sliced(self) -> bool:
        return self.signature().sliced


@dataclass(frozen=True)
class Property:
    name: str
    type: Any
    default: Any
    doc: str
    group: str = ""
    hint: str = ""
    """Godot's hint string: a range as "min,max,step", or an enum's "Product:0,Balanced:1"."""


@dataclass(frozen=True)
class Signal:
    name: str
    arguments: tuple[Argument, ...]
    doc: str


@dataclass(frozen=True)
class EnumDeclaration:
    name: str
    values: tuple[tuple[str, int, str], ...]
    """Tuples of constant, value and doc."""


class Values(NamedTuple):
    """The properties of a Godot class, and the enums of their values."""

    properties: Sequence[Property] = ()
    enums: Sequence[EnumDeclaration] = ()


@dataclass
class GodotClass:
    name: str
    base: str
    brief: str
    description: str
    implementation: type
    methods: list[Method] = field(default_factory=list)
    signals: list[Signal] = field(default_factory=list)
    values: Callable[[], Values] = Values
    """Makes the properties and enums, which only the build needs."""

    @property
    def properties(self) -> Sequence[Property]:
        return self.values().properties

    @property
    def enums(self) -> Sequence[EnumDeclaration]:
        return self.values().enums


_METHOD_MARK = "__godot_method__"
_CLASS_MARK = "__godot_class__"
FunctionT = TypeVar("FunctionT", bound=Callable[..., Any])
ClassT = TypeVar("ClassT", bound=type)


def method(
    kind: Kind = Kind.WORKER,
    *,
    writes: bool = False,
    barrier: bool = False,
    opens: bool = False,
    unordered: bool = False,
    const: bool = False,
    reads_world: bool = False,
    without_python: bool = False,
) -> Callable[[FunctionT], FunctionT]:
    """Declare a function of a Godot class; its signature and docstring are what GDScript sees.

    `writes`: carried out at shutdown even when still queued. `barrier`: everything asked before runs before,
    everything asked after runs after (the calls that open and close saves). `opens`: what is
    asked after waits for its first slice only and may run between the others. `unordered`: waits for nothing
    that was asked before; it may use its arguments, the property values and the game's time, and of a save no
    more than what it counts: it may run between two slices of other calls. `reads_world`: it runs in order
    with the calls of MemoryWorld. `without_python`: the blocking form is answered by
    native_<class>_<name> of native_methods.cpp until something was asked that opens or changes a save,
    unless that returns null. A function that returns `Steps[T]` is a generator: the worker carries it
    out in slices, and GDScript sees a method that returns T.
    """

    def mark(function: FunctionT) -> FunctionT:
        flags = {
            "writes": writes,
            "barrier": barrier,
            "opens": opens,
            "unordered": unordered,
            "const": const,
            "reads_world": reads_world,
            "without_python": without_python,
        }
        setattr(function, _METHOD_MARK, (kind, flags))
        return function

    return mark


def native(
    name: str, arguments: tuple[Argument, ...], returns: Any, doc: str, *, const: bool = False
) -> Method:
    """Declare a method that native/src/classes/native_methods.cpp carries out, as native_<class>_<name>."""
    names = tuple(argument.name for argument in arguments)
    return Method(name, Kind.NATIVE, names, lambda: Signature(arguments, returns, doc), const=const)


def by_name(name: str, part: str = "") -> Callable[..., Any]:
    """Make a function that calls a method of its first argument, or of a part of that."""

    def call(instance: Any, *arguments: Any) -> Any:
        return getattr(getattr(instance, part) if part else instance, name)(*arguments)

    return call


def godot_class(
    name: str,
    base: str,
    *,
    properties: Sequence[Property] = (),
    values: Callable[[], Values] | None = None,
    signals: list[Signal] | None = None,
    methods: list[Method] | None = None,
    parts: Mapping[str, type] = MappingProxyType({}),
) -> Callable[[ClassT], ClassT]:
    """Declare a Godot class, or without a `base` what is added to one that is declared elsewhere. The first
    paragraph of the docstring is the brief description. Besides `methods` it has those that are marked in it
    and in the classes of its `parts`, which are by attribute. `values` makes properties and enums later.
    """

    def declare(cls: ClassT) -> ClassT:
        brief, _, description = (inspect.getdoc(cls) or "").partition("\n\n")
        declaration = GodotClass(name, base, brief, description, cls)
        declaration.signals = signals or []
        declaration.values = values or (lambda: Values(properties))
        declaration.methods = list(methods or [])
        for part, owner in {"": cls, **parts}.items():
            for attribute in vars(owner).values():
                mark = getattr(attribute, _METHOD_MARK, None)
                if mark is not None:
                    declaration.methods.append(_method_of(attribute, part, *mark))
        setattr(cls, _CLASS_MARK, declaration)
        return cls

    return declare


def declaration_of(cls: type) -> GodotClass:
    """Return the declaration that `godot_class` made of a class."""
    declaration = getattr(cls, _CLASS_MARK)
    assert isinstance(declaration, GodotClass)
    return declaration


def is_declared(annotation: Any) -> bool:
    """Whether an annotation is a class that `godot_class` has declared."""
    return isinstance(annotation, type) and hasattr(annotation, _CLASS_MARK)


def argument_names(function: Callable[..., Any]) -> tuple[str, ...]:
    """Return the names of a method's arguments."""
    code = function.__code__
    return code.co_varnames[1 : code.co_argcount + code.co_kwonlyargcount]


def _method_of(function: Callable[..., Any], part: str, kind: Kind, flags: dict[str, bool]) -> Method:
    @functools.cache
    def signature() -> Signature:
        hints = typing.get_type_hints(function)
        arguments = tuple(
            Argument(p.name, hints[p.name], p.default)
            for p in list(inspect.signature(function).parameters.values())[1:]
        )
        returns = hints.get("return", type(None))
        is_sliced = typing.get_origin(returns) is Generator
        if is_sliced:
            returns = typing.get_args(returns)[2]
        return Signature(arguments, returns, inspect.getdoc(function) or "", is_sliced)

    name = function.__name__
    return Method(name, kind, argument_names(function), signature, carry_out=by_name(name, part), **flags)
