"""Storage backends, one module each. `storage.backend` contains their protocol and registry."""
