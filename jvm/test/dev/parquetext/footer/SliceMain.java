package dev.parquetext.footer;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * Slices by requests from the standard input, one a line, fields between tabs: path, what (slice, as the C library
 * slices, or schema), whether case counts, the most share of columns, gap, names in hex between commas (a dot for
 * none), and so the columns by which the reader skips pages. Answers on the standard output, a line each.
 */
public final class SliceMain {
    private SliceMain() {}

    public static void main(String[] arguments) throws IOException {
        BufferedReader requests = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line; (line = requests.readLine()) != null; ) {
            System.out.println(answer(line.split("\t", -1)));
            System.out.flush();
        }
    }

    private static List<String> names(String request) {
        List<String> names = new ArrayList<>();
        for (String name : request.equals(".") ? new String[0] : request.split(",", -1))
            names.add(new String(HexFormat.of().parseHex(name), StandardCharsets.UTF_8));
        return names;
    }

    private static String answer(String[] request) throws IOException {
        PageSkipping skipping = new PageSkipping(names(request[6]), 0, Long.MAX_VALUE);
        Projection wanted = new Projection(
                names(request[5]), Boolean.parseBoolean(request[2]), Double.parseDouble(request[3]), skipping);
        try (LocalSource file = new LocalSource(request[0], Integer.parseInt(request[4]))) {
            Slice slice =
                    switch (request[1]) {
                        case "slice" -> Slicer.slice(file, wanted);
                        case "as-c" -> Slicer.slice(file, wanted, KeyValueChoice.NONE, false);
                        default -> Slicer.schemaOnly(file);
                    };
            if (slice.reads != file.reads || slice.bytesRead != file.bytes)
                throw new IllegalStateException("reads are not counted");
            return String.join(
                    "\t",
                    "slice",
                    slice.form,
                    Integer.toString(file.reads),
                    Integer.toString(file.rounds),
                    Long.toString(file.bytes),
                    HexFormat.of().formatHex(slice.footer));
        } catch (NotSliced why) {
            return "not\t" + why.reason() + "\t" + why.getMessage();
        } catch (RuntimeException | Error wrong) {
            return "wrong\t" + wrong + "\t" + List.of(wrong.getStackTrace());
        }
    }
}
