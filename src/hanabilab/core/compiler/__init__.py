"""From the source of a kernel to machine code: kinds, expressions, functions, LLVM; its times."""
