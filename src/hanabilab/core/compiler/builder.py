"""The LLVM text of one function, line by line: blocks, variables, arithmetic, memory."""

from __future__ import annotations

from hanabilab.core.compiler.kinds import (
    BOOL,
    FLOAT,
    INT,
    ArrayKind,
    Kind,
    NumberKind,
    RecordKind,
    Stored,
    TupleKind,
    UnknownError,
    Value,
    joined,
    parts,
)

__all__ = ["Builder"]


class Builder:
    """Writes one function. Variables live in memory until LLVM finds registers for them."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.rooms: list[str] = []
        self.kinds: dict[str, Kind] = {}
        """What each variable holds, as far as is known yet."""
        self.changed = False
        """Is a variable used before something of another kind is stored in it?"""
        self.finished = False
        """Does the block already end, so that what follows is never reached?"""
        self.source = ""
        """The module and the line that are being compiled."""
        self._count = 0

    def restart(self) -> None:
        """Write everything anew, with the kinds of variables that are known now."""
        self.lines, self.rooms, self.changed, self.finished = [], [], False, False
        self._count = 0
        for name, kind in self.kinds.items():
            self._make_room(name, kind)

    # Lines

    def fresh(self, prefix: str = "%v") -> str:
        """Return a new name."""
        self._count += 1
        return f"{prefix}{self._count}"

    def do(self, line: str) -> None:
        """Write an instruction that has no result."""
        if not self.finished:
            self.lines.append(f"  {line}")

    def get(self, line: str) -> str:
        """Write an instruction and return its result."""
        name = self.fresh()
        self.do(f"{name} = {line}")
        return name

    def end(self, line: str) -> None:
        """Write the last instruction of a block."""
        self.do(line)
        self.finished = True

    def start(self, label: str) -> None:
        """Start a block; the one before it runs into it unless it has an end."""
        self.end(f"br label %{label}")
        self.start_at(label)

    def start_at(self, label: str) -> None:
        """Start a block that others lead to."""
        self.lines.append(f"{label}:")
        self.finished = False

    def branch(self, condition: str, yes: str, no: str) -> None:
        """Go to one of two blocks."""
        self.end(f"br i1 {condition}, label %{yes}, label %{no}")

    def make_sure(self, condition: str) -> None:
        """End the program with a message where a condition does not hold."""
        on, wrong = self.fresh("on"), self.fresh("wrong")
        self.branch(condition, on, wrong)
        self.start_at(wrong)
        said = f"{self.source}: an index is negative or too large"
        room = f"[{len(said) + 2} x i8]"
        text = self.get(f"alloca {room}")
        self.do(f'store {room} c"{said}\\0A\\00", ptr {text}')
        self.do(f"call i32 (i32, ptr, ...) @dprintf(i32 2, ptr {text})")
        self.do("call void @abort()")
        self.end("unreachable")
        self.start_at(on)

    # Variables

    def _make_room(self, name: str, kind: Kind) -> None:
        for number, part in enumerate(parts(kind)):
            self.rooms.append(f'  %"{name}.{number}" = alloca {part}')

    def set(self, name: str, value: Value) -> None:
        """Store into a variable."""
        before = self.kinds.get(name)
        kind = value.kind if before is None else joined(before, value.kind)
        if before is None:
            self._make_room(name, kind)
        elif kind != before:
            self.changed = True
        self.kinds[name] = kind
        if self.changed:
            return  # all is written again
        stored = zip(parts(kind), self.cast(value, kind).operands, strict=True)
        for number, (part, operand) in enumerate(stored):
            self.do(f'store {part} {operand}, ptr %"{name}.{number}"')

    def variable(self, name: str) -> Value:
        """Return what a variable holds."""
        kind = self.kinds[name]
        operands = [
            self.get(f'load {part}, ptr %"{name}.{number}"')
            for number, part in enumerate(parts(kind))
        ]
        return Value(kind, tuple(operands))

    # Numbers

    def cast(self, value: Value, kind: Kind) -> Value:
        """Return a value as one of another kind that it can be."""
        if value.kind == kind:
            return value
        match value.kind, kind:
            case NumberKind(), NumberKind():
                return Value(kind, (self._convert(value.kind, value.operand, kind),))
            case ArrayKind(), ArrayKind():
                return self.array(kind, value.operand, self.lengths(value))
            case TupleKind(), TupleKind():
                pairs = zip(self.members(value), kind.members, strict=True)
                return self.tuple_of([self.cast(*pair) for pair in pairs], kind.named)
        raise UnknownError(f"{value.kind} in the place of {kind}")

    def _convert(self, source: NumberKind, operand: str, target: NumberKind) -> str:
        if target is BOOL:
            if source is FLOAT:
                return self.get(f"fcmp une double {operand}, 0.0")
            return self.get(f"icmp ne i64 {operand}, 0")
        if source is FLOAT:
            return self.get(f"fptosi double {operand} to i64")
        how = "uitofp" if source is BOOL else "sitofp"
        if target is INT:
            how = "zext"
        return self.get(f"{how} {source.llvm} {operand} to {target.llvm}")

    def number(self, value: Value, kind: NumberKind) -> str:
        """Return a number as one of this kind."""
        if not isinstance(value.kind, NumberKind):
            raise UnknownError(f"{value.kind} in the place of a number")
        return self.cast(value, kind).operand

    def integer(self, operand: str | int) -> Value:
        """Return an integer as a value."""
        return Value(INT, (str(operand),))

    # Memory

    def lengths(self, array: Value) -> list[str]:
        """Return the length of an array in each direction."""
        assert isinstance(array.kind, ArrayKind)
        known = iter(array.operands[1:])
        return [str(length) if length is not None else next(known) for length in array.kind.shape]

    def array(self, kind: ArrayKind, address: str, lengths: list[str]) -> Value:
        """Return an array of these lengths."""
        open_ends = [each for each, fixed in zip(lengths, kind.shape, strict=True) if fixed is None]
        return Value(kind, (address, *open_ends))

    def tuple_of(self, members: list[Value], named: object = None) -> Value:
        """Return a tuple."""
        kind = TupleKind(named, tuple(member.kind for member in members))
        return Value(kind, tuple(each for member in members for each in member.operands))

    def members(self, value: Value) -> list[Value]:
        """Return the members of a tuple."""
        if not isinstance(value.kind, TupleKind):
            raise UnknownError(f"{value.kind} is not a tuple")
        rest, members = iter(value.operands), []
        for kind in value.kind.members:
            members.append(Value(kind, tuple(next(rest) for _ in parts(kind))))
        return members

    def offset(self, address: str, distance: str | int) -> str:
        """Return the address so many bytes further."""
        if str(distance) == "0":
            return address
        return self.get(f"getelementptr inbounds i8, ptr {address}, i64 {distance}")

    def load(self, address: str, cell: Stored | RecordKind) -> Value:
        """Return what lies at an address."""
        if isinstance(cell, RecordKind):
            return Value(cell, (address,))
        loaded = self.get(f"load {cell.llvm}, ptr {address}")
        if cell.kind is BOOL:
            loaded = self.get(f"icmp ne i8 {loaded}, 0")
        elif cell.widen:
            loaded = self.get(f"{cell.widen} {cell.llvm} {loaded} to i64")
        return Value(cell.kind, (loaded,))

    def store(self, address: str, cell: Stored | RecordKind, value: Value) -> None:
        """Write to an address; a record is copied."""
        if isinstance(cell, RecordKind):
            if value.kind is not cell:
                raise UnknownError(f"{value.kind} stored as {cell}")
            self.copy(address, value.operand, cell.size)
            return
        operand = self.number(value, cell.kind)
        if cell.kind is BOOL:
            operand = self.get(f"zext i1 {operand} to i8")
        elif cell.widen:
            operand = self.get(f"trunc i64 {operand} to {cell.llvm}")
        self.do(f"store {cell.llvm} {operand}, ptr {address}")

    def copy(self, target: str, source: str, size: str | int) -> None:
        """Copy whole words."""
        self.do(
            f"call void @llvm.memcpy.p0.p0.i64(ptr align 8 {target}, ptr align 8 {source}, "
            f"i64 {size}, i1 false)"
        )
