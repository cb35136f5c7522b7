"""A dataset's new files: written by tasks into a hidden staging folder, put in their place together by the driver."""

from .job import OutputJob, Written

__all__ = ["OutputJob", "Written"]
