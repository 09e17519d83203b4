package io.holdfast.model;

import io.holdfast.contracts.servers.Lua54Scripts;
import io.holdfast.model.conformance.MemoryScriptServer;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.Reply;
import java.util.List;

/** The server in memory, whose scripts run in Lua 5.4. */
final class Lua54ScriptServer extends MemoryScriptServer {
    private static final String ERROR = "error ";

    private final Lua54Scripts lua = new Lua54Scripts(this::command);

    @Override
    protected Reply evaluate(List<String> words) {
        int args = 3 + Integer.parseInt(words.get(2));
        String reply = lua.run(words.get(1), words.subList(3, args), words.subList(args, words.size()));
        if (reply.startsWith(ERROR)) {
            throw DriverException.rejected(reply.substring(ERROR.length()));
        }
        return Reply.of(reply); // a list is told as a text that is compared with one
    }

    @Override
    public void close() {
        lua.close();
        super.close();
    }
}
