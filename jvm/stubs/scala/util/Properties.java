package scala.util;

public final class Properties {
    public static native String versionNumberString();
}
