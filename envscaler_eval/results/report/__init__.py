"""One page that shows all that logs say."""
