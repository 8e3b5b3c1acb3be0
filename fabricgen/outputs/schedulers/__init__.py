"""What schedulers and automation are told.

`viewing` owns stripes and HB domains as they see them, `hostlists` their short form, and `views` what templates see.
"""
