"""The host's processor."""
