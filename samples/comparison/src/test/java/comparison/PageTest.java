package comparison;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What stands on the page is what the programs print. */
@Timeout(300)
class PageTest {
    private static final Pattern PROGRAM = Pattern.compile(
            "\\[`(\\w+)`]\\(\\.\\./samples/comparison/\\S+/(\\w+)\\.java\\)[^`]*```\n(.*?)```", Pattern.DOTALL);

    private interface Program {
        void main(String[] arguments) throws Exception;
    }

    private static final Map<String, Program> PROGRAMS = new TreeMap<>();

    static {
        PROGRAMS.put("CacheStampede", CacheStampede::main);
        PROGRAMS.put("Clients", Clients::main);
        PROGRAMS.put("Commit", Commit::main);
        PROGRAMS.put("DeadWaiter", DeadWaiter::main);
        PROGRAMS.put("FreedPort", FreedPort::main);
        PROGRAMS.put("GivingWay", GivingWay::main);
        PROGRAMS.put("IdempotencyKey", IdempotencyKey::main);
        PROGRAMS.put("LateNote", LateNote::main);
        PROGRAMS.put("LateWrite", LateWrite::main);
        PROGRAMS.put("Loss", Loss::main);
        PROGRAMS.put("Maintenance", Maintenance::main);
        PROGRAMS.put("OtherThread", OtherThread::main);
        PROGRAMS.put("SlotOfTime", SlotOfTime::main);
        PROGRAMS.put("TenantShare", TenantShare::main);
    }

    @Test
    void programs_run_printWhatThePageSays() throws Exception {
        Map<String, String> said = new TreeMap<>();
        Matcher programs = PROGRAM.matcher(Files.readString(Path.of("../../docs/comparison.md")));
        while (programs.find()) {
            assertEquals(programs.group(1), programs.group(2));
            said.put(programs.group(1), programs.group(3));
        }
        assertEquals(PROGRAMS.keySet(), said.keySet());
        for (Map.Entry<String, Program> each : PROGRAMS.entrySet()) {
            assertEquals(said.get(each.getKey()), output(each.getValue()), each.getKey());
        }
    }

    private static String output(Program program) throws Exception {
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        PrintStream before = System.out;
        System.setOut(new PrintStream(written, true, StandardCharsets.UTF_8));
        try {
            program.main(new String[0]);
        } finally {
            System.setOut(before);
        }
        return written.toString(StandardCharsets.UTF_8).replace(System.lineSeparator(), "\n");
    }
}
