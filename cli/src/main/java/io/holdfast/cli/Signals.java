package io.holdfast.cli;

import java.util.concurrent.CompletableFuture;
import java.util.function.ObjIntConsumer;
import sun.misc.Signal;

/** The signals that are passed on. The JDK has no other way to know which one has come than this class of its own. */
final class Signals {
    private static final String[] PASSED_ON = {"INT", "TERM", "HUP", "USR1"};

    private Signals() {}

    /** From now on signals end what waits for this, with the status to end with: Ctrl-C is no failure there. */
    static CompletableFuture<Integer> end() {
        CompletableFuture<Integer> end = new CompletableFuture<>();
        receive((name, number) -> {
            if (!name.equals("USR1")) {
                end.complete(name.equals("INT") ? 0 : ExitStatus.SIGNALLED + number);
            }
        });
        return end;
    }

    /** From now on calls a receiver with each signal's name and number, on a thread of its own each time. */
    static void receive(ObjIntConsumer<String> receiver) {
        for (String name : PASSED_ON) {
            try {
                // A signal that was ignored when we were started (nohup, jobs in the background) stays ignored.
                Signal.handle(new Signal(name), signal -> receiver.accept(signal.getName(), signal.getNumber()));
            } catch (IllegalArgumentException e) {
                // This JVM keeps it for itself, or the system does not know it.
            }
        }
    }
}
