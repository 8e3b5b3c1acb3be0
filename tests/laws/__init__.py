"""Laws that every plan keeps, whatever the inventory."""
