"""The compiler, from a kernel's source to machine code: types, expressions, functions, LLVM."""
