package org.apache.spark.util;

import java.util.EventListener;
import org.apache.spark.TaskContext;

public interface TaskCompletionListener extends EventListener {
    void onTaskCompletion(TaskContext task);
}
