package io.holdfast.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** When a server is started in a scope of its own. In place of systemd-run there is a script. */
final class SystemdUnitTest {
    private static final String SERVICE = "0::/system.slice/backup.service\n";

    @TempDir
    Path temporary;

    private Path asked;
    private Path runtime;

    @BeforeEach
    void prepare() throws IOException {
        asked = temporary.resolve("asked");
        runtime = Files.createDirectories(temporary.resolve("run/1000"));
    }

    private Path program(int status) throws IOException {
        Path script = Files.createFile(temporary.resolve("systemd-run"), StateFolder.permissions("rwx------"));
        Files.writeString(
                script,
                "#!/bin/sh\necho \"$XDG_RUNTIME_DIR $*\" >>'" + asked + "'\n"
                        + (status == 0 ? "" : "exit " + status + "\n")
                        + "while [ \"$1\" != -- ]; do shift; done; shift; exec \"$@\"\n");
        return script;
    }

    private List<String> wayOut(String cgroup, int user, @Nullable Path program) throws Exception {
        Path file = temporary.resolve("cgroup");
        Files.writeString(file, cgroup);
        return new SystemdUnit(file, temporary.resolve("run"), user, program).wayOut();
    }

    @Test
    void inAService_ofTheUser_asksTheUsersManager() throws Exception {
        List<String> words = wayOut(SERVICE, 1000, program(0));
        Process process = new ProcessBuilder(concatenated(words, "echo", "ran")).start();
        assertEquals("ran\n", new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
        for (String line : Files.readAllLines(asked)) {
            assertEquals(runtime + " --user --scope --quiet --collect", line.substring(0, line.indexOf(" --desc")));
        }
        assertEquals(2, Files.readAllLines(asked).size());
    }

    @Test
    void inAService_ofRoot_asksTheSystem() throws Exception {
        List<String> words = wayOut(SERVICE, 0, program(0));
        assertFalse(words.contains("--user"), words::toString);
        assertFalse(words.isEmpty());
    }

    @Test
    void inAUsersServiceBelowAGroupOfItsOwn_isRecognised() throws Exception {
        assertFalse(wayOut(
                        "12:cpu:/\n1:name=systemd:/user.slice/user-0.slice/user@0.service/app.slice/a.service/inner\n",
                        1000,
                        program(0))
                .isEmpty());
    }

    @Test
    void inASessionOrAContainerOrNoSystemd_asksNobody() throws Exception {
        Path program = program(0);
        for (String cgroup : new String[] {
            "0::/user.slice/user-1000.slice/session-3.scope\n",
            "0::/user.slice/user-1000.slice/user@1000.service/app.slice/app-x.scope\n",
            "0::/\n",
            "0::/system.slice/docker-abc.scope\n",
            "",
            "nothing\n",
        }) {
            assertEquals(List.of(), wayOut(cgroup, 1000, program), cgroup);
        }
        assertEquals(List.of(), new SystemdUnit(temporary.resolve("none"), temporary, 1000, program).wayOut());
        assertFalse(Files.exists(asked));
    }

    @Test
    void managerOfTheUserDoesNotRun_orRefuses_orThereIsNoProgram_goesOnWithout() throws Exception {
        assertEquals(List.of(), wayOut(SERVICE, 1000, null));
        Path refuses = program(1);
        assertEquals(List.of(), wayOut(SERVICE, 1000, refuses));
        assertEquals(1, Files.readAllLines(asked).size());
        assertEquals(List.of(), wayOut(SERVICE, 1001, refuses));
        assertEquals(1, Files.readAllLines(asked).size());
    }

    @Test
    void managerHangs_goesOnWithoutAfterABound() throws Exception {
        Path script = Files.createFile(temporary.resolve("hangs"), StateFolder.permissions("rwx------"));
        Files.writeString(script, "#!/bin/sh\nexec sleep 1000\n");
        long begin = System.nanoTime();
        assertEquals(List.of(), wayOut(SERVICE, 1000, script));
        assertFalse(System.nanoTime() - begin > TimeUnit.SECONDS.toNanos(20));
    }

    private static List<String> concatenated(List<String> words, String... more) {
        List<String> all = new java.util.ArrayList<>(words);
        all.addAll(List.of(more));
        return all;
    }
}
