package scala;

import java.io.Serializable;

public abstract class Enumeration implements Serializable {
    public abstract class Value implements Serializable {}
}
