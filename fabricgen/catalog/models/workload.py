"""The catalog model of a language model to train."""

from typing import Self

from pydantic import model_validator

from fabricgen.catalog.models.base import Count, Facts, Many, Positive, Sourced, Text, Tokens


class Experts(Facts):
    """A mixture of experts: in every `every`-th layer each token goes to `top_k` of `experts`."""

    experts: Many
    top_k: Count
    every: Count = 1

    @model_validator(mode="after")
    def _verify_consistency(self) -> Self:
        if self.top_k > self.experts:
            raise ValueError(f"top_k: a token cannot go to {self.top_k} of {self.experts} experts")
        return self


class Workload(Sourced):
    """A language model and its batch; an iteration processes `batch_tokens` over all GPUs."""

    name: Text
    layers: Count
    hidden: Many
    sequence: Tokens
    batch_tokens: Tokens
    bytes_per_element: Positive
    pipeline_stages: Count = 1
    moe: Experts | None = None
    notes: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _verify_consistency(self) -> Self:
        if self.pipeline_stages > self.layers:
            raise ValueError(
                f"pipeline_stages: {self.layers} layers cannot be cut "
                f"into {self.pipeline_stages} stages"
            )
        return self
