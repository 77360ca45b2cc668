"""The processor that code is generated for, and LLVM's optimizer and code generator."""

from __future__ import annotations

import functools
import sys
from dataclasses import dataclass
from typing import Any

import llvmlite.binding as llvm

__all__ = ["Target", "emit_object", "host"]

OPTIMIZATION = 3
SMALL_INLINING = 100
"""LLVM's inlining threshold for small code; the default is 225."""


@dataclass(frozen=True, slots=True)
class Target:
    """A processor: LLVM's names for it, and the instructions that kernels can use."""

    triple: str
    cpu: str = ""
    features: str = ""
    has_fast_pdep: bool = False
    """Whether the processor has a `pdep` instruction that is not microcoded."""
    little_endian: bool = True

    @property
    def cycle_counter(self) -> str:
        """The LLVM call that reads the cycle counter."""
        if self.triple.startswith(("aarch64", "arm64")):
            return 'call i64 asm sideeffect "mrs $0, cntvct_el0", "=r"()'
        return "call i64 @llvm.readcyclecounter()"

    @property
    def declarations(self) -> str:
        """Declarations of the instructions that only some processors have."""
        lines = ["declare i64 @llvm.readcyclecounter()"]
        if self.has_fast_pdep:
            lines.append("declare i64 @llvm.x86.bmi.pdep.64(i64, i64)")
        return "\n".join(lines)


@functools.cache
def host() -> Target:
    """Return the processor of this machine."""
    features, cpu = llvm.get_host_cpu_features(), llvm.get_host_cpu_name()
    return Target(
        llvm.get_process_triple(),
        cpu,
        features.flatten(),
        bool(features.get("bmi2")) and cpu not in ("znver1", "znver2"),
        sys.byteorder == "little",
    )


def emit_object(
    text: str, target: Target | None = None, *, small: bool = False, unrolled: bool = True
) -> bytes:
    """Verify, optimize and compile LLVM IR; return an object file.

    Use `small` for code that Python calls directly, which gains nothing from size: it compiles
    faster. If not `unrolled`, loops are neither unrolled nor vectorized.
    """
    machine = _machine(target or host())
    module = llvm.parse_assembly(text)
    module.triple = (target or host()).triple
    module.data_layout = str(machine.target_data)
    module.verify()
    options = llvm.create_pipeline_tuning_options(OPTIMIZATION)
    options.loop_vectorization = options.loop_unrolling = unrolled and not small
    options.slp_vectorization = False
    if small:
        options.inlining_threshold = SMALL_INLINING
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    return bytes(machine.emit_object(module))


@functools.cache
def _machine(target: Target) -> Any:
    """Return LLVM's description of a processor."""
    if target == host():
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
    else:
        llvm.initialize_all_targets()
        llvm.initialize_all_asmprinters()
    return llvm.Target.from_triple(target.triple).create_target_machine(
        cpu=target.cpu,
        features=target.features,
        opt=OPTIMIZATION,
        reloc="static" if target.triple.startswith("x86") else "default",
        codemodel="jitdefault",
        jit=True,
    )
