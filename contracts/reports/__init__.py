"""Reports: findings as text for people, JSON, annotations of GitHub, and SARIF."""
