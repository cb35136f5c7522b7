import java.security.MessageDigest;
import java.util.HexFormat;
import org.apache.hadoop.fs.Path;
import org.apache.parquet.example.data.Group;
import org.apache.parquet.hadoop.ParquetReader;
import org.apache.parquet.hadoop.example.GroupReadSupport;
import org.apache.parquet.schema.Type;

/** Reads files with parquet-java: java Read FILE…; see read.py. */
public class Read {
    public static void main(String[] paths) {
        for (String path : paths) {
            System.out.println(outcome(path));
        }
    }

    static String outcome(String path) {
        try (ParquetReader<Group> reader = ParquetReader.builder(new GroupReadSupport(), new Path(path)).build()) {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            StringBuilder columns = new StringBuilder();
            long rows = 0;
            for (Group row = reader.read(); row != null; row = reader.read()) {
                digest.update(row.toString().getBytes("UTF-8"));
                if (rows++ == 0) {
                    for (Type field : row.getType().getFields()) {
                        columns.append(columns.length() == 0 ? "" : ",").append(text(field.getName()));
                    }
                }
            }
            return String.format("{\"rows\":%d,\"columns\":[%s],\"digest\":%s}", rows, columns,
                    text(HexFormat.of().formatHex(digest.digest())));
        } catch (Throwable error) {
            return "{\"error\":" + text(error.toString()) + "}";
        }
    }

    static String text(String value) {
        return '"' + value.replaceAll("[^ !#-\\[\\]-~]", "?") + '"';
    }
}
