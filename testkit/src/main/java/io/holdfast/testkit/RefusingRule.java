package io.holdfast.testkit;

import io.holdfast.testkit.Keyspace.Text;

/** Before any script runs, somebody else holds the locks that it looks at. */
final class RefusingRule implements MemoryServer.Rule {
    private static final String OWNER = "somebody.0-1~else";
    private static final String LABEL = "somebody+else/elsewhere/1/main";

    static final long TERM_MILLIS = 24 * 3_600_000L;

    private final CommandTable commands;

    RefusingRule(CommandTable commands) {
        this.commands = commands;
    }

    /** The text of a hold that somebody has who is no client of the server. */
    static String hold(long micros) {
        return OWNER + " " + micros + " " + micros + " " + TERM_MILLIS + " " + LABEL;
    }

    @Override
    public Answer apply(Call call) {
        ScriptRun script = ScriptRun.of(call, commands);
        if (script != null) {
            for (String key : script.keys()) {
                if ((script.isPlain() || key.endsWith("}")) && !call.keys().exists(key)) {
                    String hold = hold(call.keys().nowMicros());
                    call.keys().put(key, new Text(script.isPlain() ? "somebody-else" : hold));
                    call.keys().expire(key, call.keys().nowMillis() + TERM_MILLIS);
                }
            }
        }
        return commands.run(call);
    }
}
