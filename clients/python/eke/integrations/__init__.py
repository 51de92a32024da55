"""Adapters for other libraries. Each imports its library, and nothing else in eke does."""
