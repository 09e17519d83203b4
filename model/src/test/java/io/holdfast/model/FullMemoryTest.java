package io.holdfast.model;

import io.holdfast.model.conformance.MemoryScriptServer;
import io.holdfast.model.conformance.ScriptServer;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.Reply;
import java.util.List;
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

    @ParameterizedTest
    @ValueSource(strings = {"silent", "all", "kept", "orders", "rw", "rw-orders", "permits", "claims", "limited"})
    void scripts_onAFullServer_doWhatTheModelSays(String setting) {
        OtherServersTest.assertAgree(setting, FULL, TRANSITIONS, 1);
    }
}
