import io.questdb.cairo.CairoEngine;
import io.questdb.cairo.DefaultCairoConfiguration;
import io.questdb.cairo.security.AllowAllSecurityContext;
import io.questdb.griffin.SqlExecutionContextImpl;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;

/** Runs the statements of a file in an embedded QuestDB, then counts the rows of each query of another one. */
public class Partition {
    public static void main(String[] arguments) throws Exception {
        var configuration = new DefaultCairoConfiguration(arguments[0]) {
            @Override
            public int getPartitionEncoderParquetRowGroupSize() {
                return Integer.parseInt(arguments[4]);
            }
        };
        try (var engine = new CairoEngine(configuration); var context = new SqlExecutionContextImpl(engine, 1)) {
            context.with(AllowAllSecurityContext.INSTANCE);
            for (String statement : Files.readAllLines(Path.of(arguments[1]))) engine.execute(statement, context);
            var counts = new ArrayList<String>();
            for (String query : Files.readAllLines(Path.of(arguments[2]))) {
                try (var factory = engine.select(query, context); var cursor = factory.getCursor(context)) {
                    cursor.hasNext();
                    counts.add(Long.toString(cursor.getRecord().getLong(0)));
                }
            }
            Files.write(Path.of(arguments[3]), counts);
        }
    }
}
