"""The lab of an InfiniBand fabric: OpenSM against ibsim, and the tables that it computes."""
