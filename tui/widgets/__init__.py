"""One widget per file: a slice of the picture in, messages of its own out."""
