package dev.parquetext.spark;

import java.util.function.Consumer;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.SparkSessionExtensions;
import org.slf4j.LoggerFactory;
import scala.runtime.AbstractFunction1;
import scala.runtime.BoxedUnit;
import scala.util.Properties;

/**
 * The entry for {@code spark.sql.extensions}: scans of Parquet files then read slices of their footers.
 *
 * <p>Any Spark and Scala can load it. It uses the classes of this jar for the running versions. If there are none, the
 * log has one line, and sessions work without slices.
 */
public final class Extensions extends AbstractFunction1<SparkSessionExtensions, BoxedUnit> {
    @Override
    public BoxedUnit apply(SparkSessionExtensions extensions) {
        use(scans -> scans.extend(extensions));
        return BoxedUnit.UNIT;
    }

    /** Adds the scan to a session that was started without the extension. */
    public static void addTo(SparkSession session) {
        use(scans -> scans.addTo(session));
    }

    private static void use(Consumer<Scans> use) {
        String spark = "(unknown)", scala = Properties.versionNumberString();
        try {
            // javac refuses the name of this class: package is a word of the language.
            spark = (String) Class.forName("org.apache.spark.package")
                    .getMethod("SPARK_VERSION")
                    .invoke(null);
            use.accept((Scans) Class.forName(classFor(spark, scala)).getConstructor().newInstance());
        } catch (ReflectiveOperationException | LinkageError | RuntimeException error) {
            LoggerFactory.getLogger(Extensions.class)
                    .error(
                            "Spark's own scans parse whole footers: this jar of parquetext is not for Spark {} with Scala {} ({})",
                            spark,
                            scala,
                            error.toString());
        }
    }

    private static String classFor(String spark, String scala) throws ClassNotFoundException {
        String set;
        if (spark.startsWith("4.")) set = "scan";
        else if (spark.startsWith("3.5.")) set = "scan_" + scala.substring(0, scala.lastIndexOf('.')).replace('.', '_');
        else throw new ClassNotFoundException("no classes for this version");
        return "dev.parquetext.spark." + set + ".SparkScans";
    }
}
