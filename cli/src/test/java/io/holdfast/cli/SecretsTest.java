package io.holdfast.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.contracts.servers.RedisServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where the command has passwords from, and who else gets to see them. */
final class SecretsTest {
    private static final String SECRET = "open/sesame";
    private static final String ENCODED = "open%2Fsesame";

    @TempDir
    private Path folder;

    private RedisServer server;

    @BeforeEach
    void start() {
        server = RedisServer.start();
        allow(SECRET);
    }

    @AfterEach
    void close() {
        server.close();
    }

    private void allow(String password) {
        server.command("ACL", "SETUSER", "locker", "resetpass", "on", ">" + password, "~*", "&*", "+@all");
        server.command("ACL", "SETUSER", "default", "-@all", "+ping", "+acl", "+client", "+auth", "+config");
    }

    private String url(String userInfo) {
        return "redis://" + userInfo + "127.0.0.1:" + server.port();
    }

    private Path file(String permissions, String text) throws IOException {
        Path file = Files.writeString(folder.resolve("password"), text);
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
    }

    private Said ls(String url, String... more) {
        List<String> words = new ArrayList<>(List.of("ls", "--url", url));
        words.addAll(List.of(more));
        return Said.by(words.toArray(String[]::new));
    }

    // ---- where it comes from

    @Test
    void ls_passwordFile_isUsed() throws IOException {
        for (String text : List.of(SECRET, SECRET + "\n", SECRET + "\r\nsecond line\n")) {
            Said said = ls(
                    url("locker@"), "--password-file", file("rw-r-----", text).toString());
            assertEquals(new Said(0, said.out(), ""), said);
        }
    }

    @Test
    void ls_passwordFileThatOthersCanRead_isUsedAndToldOf() throws IOException {
        Path file = file("rw-r--r--", SECRET);
        Said said = ls(url("locker@"), "--password-file", file.toString());
        assertEquals(0, said.status());
        assertEquals("holdfast: every user of this machine can read " + file + ": chmod o-r it\n", said.err());
    }

    @Test
    void ls_passwordFileIsNoGood_endsWith64AndNamesIt() throws IOException {
        Path missing = folder.resolve("missing");
        for (Path each : List.of(missing, file("rw-------", "\nsecond"), folder)) {
            Said said = ls(url("locker@"), "--password-file", each.toString());
            assertEquals(64, said.status(), said.err());
            assertTrue(said.err().contains(each.toString()), said.err());
        }
    }

    @Test
    void ls_passwordCommand_isUsed() {
        Said said = ls(url("locker@"), "--password-command", "printf '%s\\nmore' " + SECRET);
        assertEquals(new Said(0, said.out(), ""), said);
    }

    @Test
    void ls_passwordCommandFails_endsWith69AndSaysHow() {
        Said failed = ls(url("locker@"), "--password-command", "echo x; exit 3");
        assertEquals(69, failed.status());
        assertTrue(failed.err().contains("--password-command ended with 3"), failed.err());
        Said silent = ls(url("locker@"), "--password-command", "true");
        assertEquals(69, silent.status());
        assertTrue(silent.err().contains("printed none"), silent.err());
    }

    @Test
    void ls_passwordInTheUrlOption_isUsedAndToldOf() {
        Said said = ls(url("locker:" + ENCODED + "@"));
        assertEquals(0, said.status());
        assertTrue(said.err().contains("ps shows it") && said.err().contains("--password-file"), said.err());
        assertFalse(said.err().contains("sesame"), said.err());
    }

    @Test
    void ls_passwordNotEncoded_saysThatItHasToBe() {
        Said said = ls(url("locker:open/ses%me@"));
        assertEquals(64, said.status());
        assertTrue(said.err().contains("percent-encode the password"), said.err());
        assertFalse(said.err().contains("ses%"), said.err());
    }

    @Test
    void ls_passwordGivenTwice_endsWith64() throws IOException {
        String file = file("rw-------", SECRET).toString();
        assertEquals(
                64,
                ls(url("locker@"), "--password-file", file, "--password-command", "true")
                        .status());
        Said both = ls(url("locker:" + ENCODED + "@"), "--password-file", file);
        assertEquals(64, both.status());
        assertTrue(both.err().contains("--password-file and by --url"), both.err());
        assertEquals(64, ls("local", "--password-file", file).status());
        assertEquals(64, ls(url("locker@"), "--password-file", "").status());
    }

    @Test
    void ls_passwordMissing_saysHowToGiveIt() {
        Said user = ls(url("locker@"));
        assertEquals(64, user.status());
        assertTrue(user.err().contains("user without a password"), user.err());
        assertTrue(user.err().contains("HOLDFAST_PASSWORD"), user.err());
        server.command("CONFIG", "SET", "requirepass", "x");
        Said nobody = ls(url(""));
        assertEquals(69, nobody.status());
        assertTrue(nobody.err().contains("HOLDFAST_PASSWORD"), nobody.err());
        assertTrue(nobody.err().contains("requires a password"), nobody.err());
    }

    // ---- variables, and who inherits them

    private Launched run(Map<String, String> variables, String... words) {
        Map<String, String> environment = new HashMap<>(variables);
        environment.putIfAbsent("HOLDFAST_URL", url("locker@"));
        return Launched.holdfast(environment, words);
    }

    private static String said(Launched command, int status) throws InterruptedException {
        assertEquals(status, command.status(), command.err());
        return command.out() + command.err();
    }

    @Test
    void run_passwordInAVariable_theCommandDoesNotInheritIt() throws Exception {
        try (Launched command = run(Map.of("HOLDFAST_PASSWORD", SECRET), "run", "a", "--", "env")) {
            String said = said(command, 0);
            assertFalse(said.contains("sesame"), said);
            assertTrue(said.contains("HOLDFAST_URL=" + url("locker@") + "\n"), said);
        }
    }

    @Test
    void run_passwordInTheUrlVariable_theCommandInheritsTheUrlWithoutIt() throws Exception {
        Map<String, String> variables = Map.of("HOLDFAST_URL", url("locker:" + ENCODED + "@"));
        try (Launched command = run(variables, "run", "a", "--", "env")) {
            String said = said(command, 0);
            assertFalse(said.contains("sesame"), said);
            assertTrue(said.contains("HOLDFAST_URL=" + url("locker@") + "\n"), said);
        }
    }

    @Test
    void run_passSecrets_theCommandInheritsThem() throws Exception {
        Map<String, String> variables = Map.of("HOLDFAST_URL", url("locker:" + ENCODED + "@"));
        try (Launched command = run(variables, "run", "a", "--pass-secrets", "--", "env")) {
            assertTrue(said(command, 0).contains("HOLDFAST_URL=" + url("locker:" + ENCODED + "@") + "\n"));
        }
        try (Launched command = run(Map.of("HOLDFAST_PASSWORD", SECRET), "run", "a", "--pass-secrets", "--", "env")) {
            assertTrue(said(command, 0).contains("HOLDFAST_PASSWORD=" + SECRET + "\n"));
        }
    }

    @Test
    void run_holdfastBelowHoldfast_hasThePasswordFromTheSameFile() throws Exception {
        Map<String, String> variables =
                Map.of("HOLDFAST_PASSWORD_FILE", file("rw-------", SECRET).toString());
        List<String> words = new ArrayList<>(List.of("run", "a", "--"));
        words.addAll(Launched.line("run", "b", "--", "echo", "both"));
        try (Launched command = run(variables, words.toArray(String[]::new))) {
            assertEquals("both\n", said(command, 0));
        }
    }

    @Test
    void run_holdfastBelowHoldfastAndNoPasswordPassedOn_saysHowToPassIt() throws Exception {
        server.command("CONFIG", "SET", "requirepass", SECRET);
        server.command("ACL", "SETUSER", "default", "~*", "&*", "+@all");
        Map<String, String> variables = Map.of("HOLDFAST_URL", url(""), "HOLDFAST_PASSWORD", SECRET);
        List<String> words = new ArrayList<>(List.of("run", "a", "--"));
        words.addAll(Launched.line("run", "b", "--", "echo", "both"));
        try (Launched command = run(variables, words.toArray(String[]::new))) {
            String said = said(command, 69);
            assertTrue(said.contains("--pass-secrets"), said);
        }
    }

    @Test
    void run_contradictingVariables_endsWith64() throws Exception {
        Map<String, String> two = Map.of("HOLDFAST_PASSWORD", SECRET, "HOLDFAST_PASSWORD_COMMAND", "true");
        try (Launched command = run(two, "run", "a", "--", "true")) {
            String said = said(command, 64);
            assertTrue(said.contains("HOLDFAST_PASSWORD and by HOLDFAST_PASSWORD_COMMAND"), said);
        }
        try (Launched command = run(Map.of("HOLDFAST_PASSWORD", ""), "run", "a", "--", "true")) {
            assertTrue(said(command, 64).contains("HOLDFAST_PASSWORD is empty"));
        }
        // An option goes before variables.
        Path file = file("rw-------", SECRET);
        try (Launched command = run(two, "run", "a", "--password-file", file.toString(), "--", "true")) {
            assertEquals("", said(command, 0));
        }
    }

    @Test
    void run_passwordRotated_theNewOneIsUsedAtTheNextConnection() throws Exception {
        Path file = file("rw-------", SECRET);
        Path end = folder.resolve("end");
        try (Launched command = run(
                Map.of("HOLDFAST_PASSWORD_COMMAND", "cat '" + file + "'"),
                "run",
                "a",
                "--",
                "sh",
                "-c",
                "echo begun; while ! [ -e '" + end + "' ]; do sleep 0.1; done")) {
            command.awaitOut("begun");
            Files.writeString(file, "another");
            allow("another");
            String before = connections();
            server.command("CLIENT", "KILL", "USER", "locker");
            Launched.await(
                    "new connections",
                    () -> !connections().isEmpty() && !connections().equals(before));
            Files.createFile(end);
            assertEquals("begun\n", said(command, 0));
        }
    }

    /** The ids of the connections of the user. */
    private String connections() {
        StringBuilder ids = new StringBuilder();
        server.command("CLIENT", "LIST")
                .asString()
                .lines()
                .filter(line -> line.contains("user=locker"))
                .forEach(line -> ids.append(line, 0, line.indexOf(' ')).append(' '));
        return ids.toString();
    }

    @Test
    void withoutPasswords_ofAllKindsOfAddresses_keepsTheRest() {
        for (String[] each : new String[][] {
            {"redis://h", "redis://h"},
            {"redis://h:1/2", "redis://h:1/2"},
            {"redis://:p@h:1", "redis://h:1"},
            {"redis://u@h:1", "redis://u@h:1"},
            {"rediss://u:p:q@[::1]:1/2", "rediss://u@[::1]:1/2"},
            {"redis://[::1]:1", "redis://[::1]:1"},
            {"redis-cluster://u:p@a:1,b:2", "redis-cluster://u@a:1,b:2"},
            {
                "redis-sentinel://u:p@a:1/m?sentinel-user=w&sentinel-password=q@r",
                "redis-sentinel://u@a:1/m?sentinel-user=w"
            },
            {"redis-sentinel://a/m?sentinel-password=q&sentinel-user=w", "redis-sentinel://a/m?sentinel-user=w"},
            {"redis-sentinel://a/m?sentinel-password=q", "redis-sentinel://a/m"},
            {"redis://u:not/enc@ded?@h", "redis://u@h"},
            {"local", "local"},
        }) {
            assertEquals(each[1], Access.withoutPasswords(each[0]));
        }
    }
}
