package org.slf4j;

public interface Logger {
    void debug(String text, Throwable throwable);

    void error(String text, Object... arguments);

    void info(String text, Object argument, Object other);

    void info(String text, Throwable throwable);

    void warn(String text, Object argument);

    void warn(String text, Object argument, Object other);

    void warn(String text, Object... arguments);

    void warn(String text, Throwable throwable);
}
