package org.apache.spark.paths;

import java.io.Serializable;

public class SparkPath implements Serializable {}
