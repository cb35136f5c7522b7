import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.TreeSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.parquet.crypto.DecryptionPropertiesFactory;
import org.apache.parquet.crypto.EncryptionPropertiesFactory;
import org.apache.parquet.crypto.FileDecryptionProperties;
import org.apache.parquet.crypto.FileEncryptionProperties;
import org.apache.parquet.hadoop.api.WriteSupport.WriteContext;

/** A factory for {@code parquet.crypto.factory.class} that has one key for all files; it notes whose it is asked for. */
public final class OneKey implements EncryptionPropertiesFactory, DecryptionPropertiesFactory {
    private static final byte[] KEY = "sixteen of bytes".getBytes(StandardCharsets.US_ASCII);
    private static final Set<String> ASKED = new TreeSet<>();

    /** The files since the last question, a line each. */
    public static synchronized String asked() {
        String paths = String.join("\n", ASKED);
        ASKED.clear();
        return paths;
    }

    private static synchronized void note(Path file) {
        ASKED.add(file.toString());
    }

    @Override
    public FileEncryptionProperties getFileEncryptionProperties(Configuration conf, Path file, WriteContext context) {
        return FileEncryptionProperties.builder(KEY).build();
    }

    @Override
    public FileDecryptionProperties getFileDecryptionProperties(Configuration conf, Path file) {
        note(file);
        return FileDecryptionProperties.builder()
                .withFooterKey(KEY)
                .withPlaintextFilesAllowed()
                .build();
    }
}
