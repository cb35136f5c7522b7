// Reads files with arrow-go: reader FILE…; see read.py.
package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"

	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
)

type outcome struct {
	Rows    int64    `json:"rows"`
	Columns []string `json:"columns"`
	Digest  string   `json:"digest"`
}

func read(path string) (found outcome, err error) {
	defer func() {
		if panicked := recover(); panicked != nil {
			err = fmt.Errorf("panic: %v", panicked)
		}
	}()
	opened, err := file.OpenParquetFile(path, false)
	if err != nil {
		return found, err
	}
	defer opened.Close()
	reader, err := pqarrow.NewFileReader(opened, pqarrow.ArrowReadProperties{}, memory.DefaultAllocator)
	if err != nil {
		return found, err
	}
	table, err := reader.ReadTable(context.Background())
	if err != nil {
		return found, err
	}
	defer table.Release()
	digest := sha256.New()
	for index, field := range table.Schema().Fields() {
		found.Columns = append(found.Columns, field.Name)
		for _, chunk := range table.Column(index).Data().Chunks() {
			fmt.Fprintf(digest, "%s\n", chunk)
		}
	}
	found.Rows, found.Digest = table.NumRows(), fmt.Sprintf("%x", digest.Sum(nil))
	return found, nil
}

func main() {
	out := json.NewEncoder(os.Stdout)
	for _, path := range os.Args[1:] {
		if found, err := read(path); err != nil {
			out.Encode(map[string]string{"error": err.Error()})
		} else {
			out.Encode(found)
		}
	}
}
