package org.apache.spark;

import java.io.Serializable;
import org.apache.spark.util.TaskCompletionListener;

public abstract class TaskContext implements Serializable {
    public abstract TaskContext addTaskCompletionListener(TaskCompletionListener listener);

    public static native TaskContext get();
}
