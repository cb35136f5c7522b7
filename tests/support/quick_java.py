"""Options for Java programs that live for seconds: no slow compiler, one thread for garbage."""

QUICK_JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
