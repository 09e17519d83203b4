package io.holdfast.model.conformance;

import io.holdfast.spi.Reply;
import java.util.List;

/** A server on which scripts are run: in memory, a real one, or one whose scripts another Lua runs. For use by one thread. */
public interface ScriptServer extends AutoCloseable {
    /** Runs a command. */
    Reply command(String... words);

    /**
     * Runs a script, by its text.
     *
     * @throws io.holdfast.spi.DriverException with its error
     */
    Reply run(String script, List<String> keys, List<String> args);

    /** Begins, or ends, to listen to a channel. */
    void listen(String channel, boolean begin);

    /** What has been heard since this was asked last: channel, a blank, and the text. */
    List<String> heard();

    /** Lets the server's time pass. */
    void pass(long millis);

    @Override
    void close();
}
