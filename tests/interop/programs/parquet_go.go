// Reads files with parquet-go: reader FILE…; see read.py.
package main

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/parquet-go/parquet-go"
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
	file, err := os.Open(path)
	if err != nil {
		return found, err
	}
	defer file.Close()
	facts, err := file.Stat()
	if err != nil {
		return found, err
	}
	opened, err := parquet.OpenFile(file, facts.Size())
	if err != nil {
		return found, err
	}
	for _, field := range opened.Schema().Fields() {
		found.Columns = append(found.Columns, field.Name())
	}
	digest, rows := sha256.New(), make([]parquet.Row, 100)
	for _, group := range opened.RowGroups() {
		reader := group.Rows()
		defer reader.Close()
		for {
			count, err := reader.ReadRows(rows)
			for _, row := range rows[:count] {
				fmt.Fprintf(digest, "%+v\n", row)
			}
			found.Rows += int64(count)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return found, err
			}
		}
	}
	found.Digest = fmt.Sprintf("%x", digest.Sum(nil))
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
