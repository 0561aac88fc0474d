"""`python -m envscaler_eval.cli`."""

from envscaler_eval.cli.app import main

main()
