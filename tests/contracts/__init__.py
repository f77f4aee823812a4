"""What everything that is registered must do."""
