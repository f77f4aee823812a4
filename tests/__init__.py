"""Tests of pdml, in the same tree as the code, with contracts over everything registered."""
