"""Values and files: texts of the command line in, numbers out."""
