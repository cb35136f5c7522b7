package org.apache.spark.sql.internal;

import org.apache.hadoop.conf.Configuration;
import scala.collection.immutable.Map;

public class SessionState {
    public native SQLConf conf();

    public native Configuration newHadoopConfWithOptions(Map<String, String> map);
}
