"""What a plan keeps of another one.

`rings` owns the numbers and names that stay, `standing` the places, and `runs` the form of long columns in a plan file.
"""
