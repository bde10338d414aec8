"""What generated code runs on: context, tokens, state, events, errors and validation."""
