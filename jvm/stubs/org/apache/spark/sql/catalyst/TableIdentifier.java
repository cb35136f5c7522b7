package org.apache.spark.sql.catalyst;

import scala.Option;

public class TableIdentifier {
    public TableIdentifier(String table, Option<String> database, Option<String> catalog) {}

    public native String table();

    public native Option<String> database();

    public native Option<String> catalog();
}
