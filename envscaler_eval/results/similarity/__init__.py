"""Environments to train on against those of tests: are they near, and does it matter?"""
