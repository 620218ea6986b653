"""The other AWS services, one file each. Nothing here decides; it says what happened in the project's own words."""
