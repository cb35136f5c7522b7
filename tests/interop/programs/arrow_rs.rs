//! Reads files with arrow-rs' parquet: reader FILE…; see read.py.

use parquet::file::reader::{FileReader, SerializedFileReader};
use std::error::Error;
use std::fs::File;
use std::hash::{DefaultHasher, Hasher};
use std::panic::catch_unwind;

fn read(path: &str) -> Result<String, Box<dyn Error>> {
    let reader = SerializedFileReader::new(File::open(path)?)?;
    let schema = reader.metadata().file_metadata().schema_descr();
    let columns: Vec<&str> = schema.root_schema().get_fields().iter().map(|field| field.name()).collect();
    let (mut rows, mut digest) = (0, DefaultHasher::new());
    for row in reader.get_row_iter(None)? {
        digest.write(row?.to_string().as_bytes());
        rows += 1;
    }
    Ok(format!("{{\"rows\":{rows},\"columns\":{columns:?},\"digest\":\"{:016x}\"}}", digest.finish()))
}

fn main() {
    for path in std::env::args().skip(1) {
        let outcome = catch_unwind(|| read(&path).map_err(|error| error.to_string()));
        match outcome.unwrap_or_else(|_| Err("panic".into())) {
            Ok(found) => println!("{found}"),
            Err(error) => println!("{{\"error\":\"{}\"}}", error.replace(|c: char| c.is_control() || "\"\\".contains(c), "?")),
        }
    }
}
