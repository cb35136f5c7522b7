package com.github.luben.zstd;

public class Zstd {
    public static native long decompressByteArray(byte[] target, int targetOffset, int targetSize, byte[] source, int sourceOffset, int sourceSize);
}
