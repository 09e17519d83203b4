package io.holdfast.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.model.conformance.Conformance;
import io.holdfast.model.conformance.DriverScriptServer;
import io.holdfast.model.conformance.ScriptServer;
import io.holdfast.model.conformance.Scripts;
import io.holdfast.model.exclusive.Rule;
import io.holdfast.model.exclusive.Settings;
import io.holdfast.model.line.LineRule;
import io.holdfast.model.line.LineSettings;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The shipped scripts do what the model says on a real server, and in Lua 5.4: a sample of what the in-memory server does in each
 * state. The system property {@code holdfast.test.every} makes it larger, down to 1, and {@code holdfast.test.server} names another
 * real server.
 */
@SuppressWarnings("NullAway.Init") // the server is started before the tests
final class OtherServersTest {
    private static final String EVERY = "holdfast.test.every";
    /** So many transitions are enough to find each rule that is left out here. */
    private static final long FEW = 12_000;

    private static final List<Supplier<ScriptServer>> LUA54 = List.of(Lua54ScriptServer::new, Lua54ScriptServer::new);

    private static RedisServer redis;

    @BeforeAll
    static void start() {
        redis = RedisServer.start();
    }

    @AfterAll
    static void stop() {
        redis.close();
    }

    @ParameterizedTest
    @CsvSource({"kept, 100000, 97", "rw, 40000, 41", "permits, 40000, 41"})
    void realServer_scriptsAsTheyShip_doWhatTheModelSays(String setting, long transitions, int every) {
        assertAgree(setting, real(), transitions, Integer.getInteger(EVERY, every));
    }

    @ParameterizedTest
    @CsvSource({"kept, tombstone", "rw, phase", "permits, weightback"})
    void realServer_scriptsWithoutARule_differ(String setting, String rule) {
        assertNotNull(run(setting, Scripts.without(rule), real(), FEW, 1).difference(), rule);
    }

    @Test
    void realServer_withKeys_isLeftAlone() {
        redis.command("SET", "key", "value");
        assertThrows(IllegalArgumentException.class, () -> DriverScriptServer.at(redis.address()));
        assertEquals("1", redis.command("DEL", "key").asString());
    }

    @ParameterizedTest
    @CsvSource({"kept, 100000, 97", "rw, 40000, 41", "permits, 40000, 41"})
    void lua54_scriptsAsTheyShip_doWhatTheModelSays(String setting, long transitions, int every) {
        assertAgree(setting, LUA54, transitions, Integer.getInteger(EVERY, every));
    }

    @Test
    void lua54_scriptsWithoutARule_differ() {
        assertNotNull(run("kept", Scripts.without("tombstone"), LUA54, FEW, 1).difference());
    }

    private static List<Supplier<ScriptServer>> real() {
        return List.of(() -> DriverScriptServer.at(redis.address()));
    }

    static void assertAgree(String setting, List<Supplier<ScriptServer>> servers, long most, int every) {
        Conformance.Result result = run(setting, Scripts.shipped(), servers, most, every);
        System.getLogger("io.holdfast").log(System.Logger.Level.INFO, () -> setting + ": " + result);
        assertNull(result.difference(), () -> result.difference() + "\n" + String.join("\n", result.trace()));
        assertTrue(result.transitions() >= most / every, result::toString);
    }

    private static Conformance.Result run(
            String setting, Scripts scripts, List<Supplier<ScriptServer>> servers, long most, int every) {
        LineSettings.Calls lines = LineSettings.calls().get(setting);
        Conformance<?, ?> run = lines == null
                ? Conformance.ofLocks(Settings.calls(setting).model(Rule.all()), scripts, servers, count -> {})
                : Conformance.ofLines(lines.model(LineRule.all()), scripts, servers, count -> {});
        return run.run(most, every);
    }
}
