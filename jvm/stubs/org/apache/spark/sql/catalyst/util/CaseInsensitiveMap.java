package org.apache.spark.sql.catalyst.util;

import java.io.Serializable;
import scala.collection.immutable.Map;

public abstract class CaseInsensitiveMap<T> implements Map<String, T>, Serializable {}
