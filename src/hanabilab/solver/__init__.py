"""Exact answers about open games: is this deck winnable, and if not, why?"""
