"""What comes of a sweep: tables and figures with ours, the paper's, and the difference."""
