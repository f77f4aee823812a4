"""A class map and a split become scores, pictures and a report."""
