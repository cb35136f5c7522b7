package scala.collection.immutable;

public interface MapOps {}
