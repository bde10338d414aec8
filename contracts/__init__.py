"""What a contract is: the dialect, reading, the model, names, findings and fixtures."""
