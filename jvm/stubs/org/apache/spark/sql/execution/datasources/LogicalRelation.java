package org.apache.spark.sql.execution.datasources;

import java.io.Serializable;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.sources.BaseRelation;

public class LogicalRelation extends LogicalPlan implements Serializable {
    public native Object productElement(int i);

    public native BaseRelation relation();
}
