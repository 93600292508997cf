"""What claims are written with: a running service, sources for it to search, and checks of its responses."""

from .claim import Row, claim, equal, expect
from .service import Client, Response, Service, eventually
from .source import Reply, Request, Source, free_port

__all__ = [
    "Client", "Reply", "Request", "Response", "Row", "Service", "Source",
    "claim", "equal", "eventually", "expect", "free_port",
]  # fmt: skip
