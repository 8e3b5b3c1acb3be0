"""Communicators: `job_spec` reads the GPUs of a job, `placement` which pairs need a relay."""
