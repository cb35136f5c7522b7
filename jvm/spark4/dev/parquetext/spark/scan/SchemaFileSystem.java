package dev.parquetext.spark.scan;

import dev.parquetext.footer.NotSliced;
import dev.parquetext.footer.Slice;
import dev.parquetext.footer.Slicer;
import java.io.IOException;
import java.net.URI;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import scala.collection.immutable.Map;

/**
 * Files of any file system, each shown with a footer of its schema alone at its end.
 *
 * <p>Spark sends executors the paths of files as text, with their lengths. So a scheme of our own leads here, a path
 * contains the file's path, and the shown file has the same length: the bytes before the footer are not read.
 */
public final class SchemaFileSystem extends ReadOnlyFileSystem {
    private static final String SCHEME = "parquetext";
    private static final String IMPLEMENTATION = "fs." + SCHEME + ".impl";

    /** Options with the setting by which Hadoop finds this file system. */
    static Map<String, String> configured(Map<String, String> options) {
        Map<String, String> found = ScalaMaps.with(options, IMPLEMENTATION, SchemaFileSystem.class.getName());
        return ScalaMaps.with(found, IMPLEMENTATION + ".disable.cache", "true");
    }

    /**
     * The path by which Spark sees a file with a sliced footer. Spark infers a schema from the first path in sort
     * order, and ignores names that are not data files: so these paths sort like the files' paths, and keep the name.
     */
    static Path sliced(FileStatus file) {
        StringBuilder digits = new StringBuilder();
        for (char each : file.getPath().toString().toCharArray())
            digits.append(Integer.toHexString(each | 0x10000), 1, 5);
        return new Path(SCHEME + ":/" + digits + "/" + file.getLen() + "/" + file.getPath().getName());
    }

    private static FileStatus real(Path sliced) {
        Path length = sliced.getParent();
        String digits = length.getParent().getName();
        StringBuilder path = new StringBuilder();
        for (int i = 0; i < digits.length(); i += 4) path.append((char) Integer.parseInt(digits.substring(i, i + 4), 16));
        return new FileStatus(Long.parseLong(length.getName()), false, 0, 0, 0, new Path(path.toString()));
    }

    @Override
    public void initialize(URI name, Configuration conf) {
        setConf(conf);
    }

    @Override
    public URI getUri() {
        return URI.create(SCHEME + ":/");
    }

    @Override
    public FileStatus getFileStatus(Path path) {
        return new FileStatus(real(path).getLen(), false, 0, 0, 0, path);
    }

    @Override
    public FSDataInputStream open(Path path, int bufferSize) throws IOException {
        FileStatus status = real(path);
        FileSystem system = status.getPath().getFileSystem(getConf());
        FSDataInputStream stream = new RealFile(system, status).open();
        try {
            Overlay overlay = look(new HadoopBytes(stream, status, false), status.getPath());
            return new FSDataInputStream(OverlaidStream.of(stream, overlay));
        } catch (Throwable error) {
            stream.close();
            throw error;
        }
    }

    private static Overlay look(HadoopBytes bytes, Path file) throws IOException {
        Overlay overlay = null;
        try {
            Slice slice = Slicer.schemaOnly(bytes);
            overlay = Overlay.over(bytes.length(), slice.footer);
        } catch (NotSliced | RuntimeException | LinkageError reason) {
            FallBacks.tell(file, reason);
        }
        return overlay == null ? Overlay.known(bytes.length(), bytes.footerRead()) : overlay;
    }
}
