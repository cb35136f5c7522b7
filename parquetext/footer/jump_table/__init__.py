"""The jump table: an index of offsets into the Thrift footer, to which field 10 of FileMetaData refers."""
