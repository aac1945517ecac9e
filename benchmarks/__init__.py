"""Measurements that the project's claims rest on; each prints its own figures."""
