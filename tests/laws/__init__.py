"""Laws that hold for every plan, whatever the inventory."""
