"""The modular footer of the public proposal: framing, reading, writing and checking, without file-format policy."""
