package io.holdfast.model.conformance;

import io.holdfast.spi.Reply;
import java.util.List;

/** A server on which scripts are run: in memory, a real one, or one whose scripts another Lua runs. For use by one thread. */
public interface ScriptServer extends AutoCloseable {
    /** What the server's clock will show, in ms, when it runs a script behind some commands that are asked now. */
    long soon();

    /**
     * Runs commands, one after the other; {@code EVAL} gives a script's text.
     *
     * @return their replies
     * @throws io.holdfast.spi.DriverException with the error of one
     */
    List<Reply> ask(List<List<String>> commands);

    /** Begins, or ends, to listen to a channel. */
    void listen(String channel, boolean begin);

    /** What was published until the last reply, and has not been told yet: channel, a blank, and the text. */
    List<String> heard();

    @Override
    void close();
}
