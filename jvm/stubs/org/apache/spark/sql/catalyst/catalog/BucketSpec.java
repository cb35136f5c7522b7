package org.apache.spark.sql.catalyst.catalog;

import java.io.Serializable;

public class BucketSpec implements Serializable {}
