"""What a document may measure (LANGUAGE §11). `compiler.limits` names them again beside the others."""

from __future__ import annotations

DOCUMENT_BYTES = 1024 * 1024  # of UTF-8, a leading byte order mark included
NESTING = 64  # mappings and lists inside one another; the document itself is the first
