"""Tests of hanabilab."""
