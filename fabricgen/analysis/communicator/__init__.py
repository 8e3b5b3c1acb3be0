"""Communicators on a fabric: `job_spec` reads which GPUs a job uses, `placement` checks which pairs need a relay."""
