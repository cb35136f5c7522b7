package org.apache.spark.sql.catalyst.plans.logical;

import java.io.Serializable;
import org.apache.spark.sql.catalyst.util.CaseInsensitiveMap;
import org.apache.spark.sql.types.StructType;
import scala.Option;
import scala.collection.immutable.Seq;

public class UnresolvedDataSource extends LogicalPlan implements Serializable {
    public native UnresolvedDataSource copy(
            String text, Option<StructType> option, CaseInsensitiveMap<String> options, boolean b,
            Seq<String> values);

    public native String format();

    public native boolean isStreaming();

    public native CaseInsensitiveMap<String> options();

    public native Seq<String> paths();

    public native Option<StructType> userSpecifiedSchema();
}
