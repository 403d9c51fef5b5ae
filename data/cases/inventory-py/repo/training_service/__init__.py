"""A small order service used for training."""
