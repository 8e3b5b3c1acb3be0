"""Documents of structured cabling: schedules of trunks, maps of panels, and cross-connects."""
