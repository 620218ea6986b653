"""The JSON Schema of plans, for editors: made from the declarations that the compiler reads."""
