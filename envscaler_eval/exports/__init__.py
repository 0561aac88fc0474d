"""What others train on and share: data sets out of packs and logs."""
