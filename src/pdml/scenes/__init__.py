"""Files become scenes and label maps: opening, checking, windows. No torch here."""
