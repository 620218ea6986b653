"""Knowledge sources: their documents, the index that is made of them, and what is found in it (CANVAS §3.5)."""
