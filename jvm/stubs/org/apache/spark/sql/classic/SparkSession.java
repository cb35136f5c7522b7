package org.apache.spark.sql.classic;

import org.apache.spark.sql.internal.SessionState;

public abstract class SparkSession extends org.apache.spark.sql.SparkSession {
    public native SessionState sessionState();
}
