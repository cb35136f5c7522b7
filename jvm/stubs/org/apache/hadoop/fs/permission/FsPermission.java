package org.apache.hadoop.fs.permission;

import java.io.Serializable;

public class FsPermission implements Serializable {}
