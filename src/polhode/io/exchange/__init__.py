"""Files of other programs: CCSDS, SPICE, CSV."""
