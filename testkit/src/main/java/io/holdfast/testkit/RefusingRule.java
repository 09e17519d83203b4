package io.holdfast.testkit;

import io.holdfast.testkit.HoldState.Stranger;

/** Before any script runs, somebody else holds the locks that it looks at, alone. */
final class RefusingRule implements MemoryServer.Rule {
    private static final Stranger SOMEBODY = Stranger.numbered(1);

    private final CommandTable commands;

    RefusingRule(CommandTable commands) {
        this.commands = commands;
    }

    @Override
    public Answer apply(Call call) {
        ScriptRun script = ScriptRun.of(call, commands);
        if (script != null) {
            script.holds().forEach(hold -> hold.seize(call.keys(), SOMEBODY));
        }
        return commands.run(call);
    }
}
