"""The arrow dialect: FlatBuffers footers as the public C++ and Rust implementations write them.

A compatibility form in plain Python, on both sets of kernels: it is read as a whole, has no random access, and is never
preferred to another form that can be read. Wire format: docs/formats.md, section 6.
"""
