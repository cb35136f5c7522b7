package org.apache.spark.sql.catalyst.rules;

import java.io.Serializable;

public class RuleId implements Serializable {}
