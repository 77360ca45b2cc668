"""LLVM: optimise the text of a program, and turn it into an object file."""

from __future__ import annotations

import functools
from typing import Any

import llvmlite.binding as llvm

__all__ = ["assemble", "deposits_quickly"]

SPEED = 3


def assemble(text: str) -> bytes:
    """Return a program as machine code for this processor, as an object file."""
    machine = _machine()
    module = llvm.parse_assembly(text)
    module.triple = llvm.get_process_triple()
    module.data_layout = str(machine.target_data)
    module.verify()
    options = llvm.create_pipeline_tuning_options(SPEED)
    options.loop_vectorization = True
    options.slp_vectorization = False
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    return bytes(machine.emit_object(module))


@functools.cache
def deposits_quickly() -> bool:
    """Tell whether the processor can put bits where others are, without a slow imitation."""
    features = llvm.get_host_cpu_features()
    return bool(features.get("bmi2")) and llvm.get_host_cpu_name() not in ("znver1", "znver2")


@functools.cache
def _machine() -> Any:
    """Return what LLVM needs to know about this processor."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(),
        features=llvm.get_host_cpu_features().flatten(),
        opt=SPEED,
        reloc="static" if llvm.get_process_triple().startswith("x86") else "default",
        codemodel="jitdefault",
        jit=True,
    )
