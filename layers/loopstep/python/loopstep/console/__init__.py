"""The console: a web page that the stack serves itself. Static files only; all data comes from the REST API."""
