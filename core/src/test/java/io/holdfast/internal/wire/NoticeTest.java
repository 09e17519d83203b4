package io.holdfast.internal.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages of scripts: each that they send is read, and stands in the protocol. */
final class NoticeTest {
    private static final String HOLD = "hf:{a b}";
    private static final Path SCRIPTS = Path.of("src/main/resources/io/holdfast/lua");
    private static final Pattern SENT = Pattern.compile("mail\\[#mail \\+ 1\\] = '([A-Z]) '");

    private static final Map<String, Notice> ONE_OF_EACH = Map.of(
            "G c.1 7 1000 500 1 " + HOLD,
            new Notice.Granted(List.of(new Notice.Grant("c.1", new LockScripts.Given(7, 1000), 500, true)), HOLD),
            "L 1000 2 c.1 7 500 c.2 8:0,3 600 " + HOLD,
            new Notice.Granted(
                    List.of(
                            new Notice.Grant("c.1", new LockScripts.Given(7, 1000), 500, false),
                            new Notice.Grant("c.2", new LockScripts.Given(8, 1000, "0,3"), 600, false)),
                    HOLD),
            "P 17 " + HOLD,
            new Notice.Probe("17", HOLD),
            "E c.1 " + HOLD,
            new Notice.Dropped("c.1", HOLD),
            "R 7 " + HOLD,
            new Notice.Recalled(7, HOLD),
            "O 7 1000 500 app/host/1/main?result=a+b " + HOLD,
            new Notice.Done(ClientLabel.holder("=", 7, 1000, "app/host/1/main?result=a+b"), 500, HOLD),
            "V c.1 7 1 " + HOLD,
            new Notice.Revoked("c.1", 7, true, HOLD));

    @Test
    void of_eachMessage_isReadWithTheWholeKey() {
        ONE_OF_EACH.forEach((text, notice) -> assertEquals(notice, Notice.of(text)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "A c 1", "D 1 c 1", "X", "GG c.1"})
    void of_anotherMessage_isNone(String text) {
        assertNull(Notice.of(text));
    }

    @ParameterizedTest
    @ValueSource(strings = {"G", "G c.1 7 1000 500 1", "G c.1 x 1000 500 1 k", "L 1 2 c.1 7 5 k", "V c.1 7 1", "R x k"})
    void of_aPartOfAMessage_throws(String text) {
        assertThrows(RuntimeException.class, () -> Notice.of(text));
    }

    @Test
    void scripts_eachMessageThatTheySend_isReadAndStandsInTheProtocol() throws IOException {
        TreeSet<String> letters = new TreeSet<>();
        try (Stream<Path> files = Files.list(SCRIPTS)) {
            for (Path file : files.toList()) {
                letters.addAll(SENT.matcher(Files.readString(file))
                        .results()
                        .map((MatchResult sent) -> sent.group(1))
                        .collect(Collectors.toSet()));
            }
        }
        String protocol = Files.readString(Path.of("../docs/protocol.md"));
        for (String letter : letters) {
            assertNotNull(ONE_OF_EACH.keySet().stream()
                    .filter(text -> text.startsWith(letter + " "))
                    .findAny()
                    .orElse(null));
            assertTrue(protocol.contains("`" + letter + " "), letter);
        }
        assertEquals(ONE_OF_EACH.size(), letters.size());
    }
}
