package org.apache.hadoop.conf;

public class Configuration {
    public native String get(String text);

    public native boolean getBoolean(String text, boolean b);
}
