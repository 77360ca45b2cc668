"""Experiments: simulate, compare, sweep, tune, cross-play, analyze, check, and data sets."""
