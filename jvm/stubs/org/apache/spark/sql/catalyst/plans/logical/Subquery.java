package org.apache.spark.sql.catalyst.plans.logical;

import java.io.Serializable;

public abstract class Subquery extends LogicalPlan implements Serializable {}
