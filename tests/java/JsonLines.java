import gamehost.Json;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** Reads each line of its input as JSON, and writes the same value again, or what is wrong with the line. */
public class JsonLines {
    public static void main(String[] args) throws Exception {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            try {
                out.println(Json.write(Json.parse(line)));
            } catch (IllegalArgumentException error) {
                out.println("refused: " + error.getMessage());
            }
        }
    }
}
