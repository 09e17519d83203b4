package io.holdfast.model;

import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.model.conformance.Conformance;
import io.holdfast.model.conformance.MemoryScriptServer;
import io.holdfast.model.conformance.ScriptServer;
import io.holdfast.model.conformance.Scripts;
import io.holdfast.model.exclusive.Rule;
import io.holdfast.model.exclusive.Settings;
import io.holdfast.model.line.LineRule;
import io.holdfast.model.line.LineSettings;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.Reply;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * On a server whose memory is full, each script does what it does elsewhere: its first write is one that is allowed there. An acquire may be
 * refused; then it has changed nothing.
 */
final class FullMemoryTest {
    private static final long TRANSITIONS = 25_000;

    /** Its memory is full while a script runs, and at no other time. */
    private static final class FullServer extends MemoryScriptServer {
        @Override
        protected Reply evaluate(List<String> words) {
            command(List.of("CONFIG", "SET", "maxmemory", "1"));
            try {
                return super.evaluate(words);
            } catch (DriverException e) {
                boolean asks = words.get(1).startsWith("-- acquire.lua")
                        || words.get(1).startsWith("-- line_acquire.lua");
                if (!asks || !String.valueOf(e.getMessage()).contains("OOM")) {
                    throw e;
                }
            } finally {
                command(List.of("CONFIG", "SET", "maxmemory", "0"));
            }
            return super.evaluate(words); // does and tells what the model says, if nothing had been done before
        }
    }

    private static final List<Supplier<ScriptServer>> FULL = List.of(FullServer::new, FullServer::new);

    private static Conformance.Result run(String setting, Scripts scripts) {
        Conformance<?, ?> locks = Settings.calls().containsKey(setting)
                ? Conformance.ofLocks(Settings.calls(setting).model(Rule.all()), scripts, FULL, count -> {})
                : Conformance.ofLines(
                        Objects.requireNonNull(LineSettings.calls().get(setting))
                                .model(LineRule.all()),
                        scripts,
                        FULL,
                        count -> {});
        return locks.run(TRANSITIONS);
    }

    @ParameterizedTest
    @ValueSource(strings = {"silent", "all", "kept", "orders", "rw", "rw-orders", "permits", "claims", "limited"})
    void scripts_onAFullServer_doWhatTheModelSays(String setting) {
        Conformance.Result result = run(setting, Scripts.shipped());
        assertNull(result.difference(), () -> result.difference() + "\n" + String.join("\n", result.trace()));
        assertTrue(result.transitions() > 1_000, result::toString);
    }
}
