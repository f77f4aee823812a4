"""The tables and figures of the paper, one declaration per file; `quoted` holds their numbers."""
