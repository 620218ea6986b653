"""Published plans: what a version holds, where it lies, and the store that never loses or rebinds one."""
