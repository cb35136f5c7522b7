package org.apache.hadoop.fs;

public interface StreamCapabilities {
    String PREADBYTEBUFFER = "in:preadbytebuffer";

    String READBYTEBUFFER = "in:readbytebuffer";

    boolean hasCapability(String text);
}
