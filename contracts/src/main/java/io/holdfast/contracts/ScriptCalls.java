package io.holdfast.contracts;

import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.contracts.servers.TcpProxy;
import io.holdfast.internal.wire.Script;
import java.util.function.Predicate;

/** Recognises the engine's scripts among the requests that a {@link TcpProxy} sees, whether sent as SHA-1 or as text. */
final class ScriptCalls {
    static final Predicate<String> ACQUIRE = of(Script.ACQUIRE);
    static final Predicate<String> RELEASE = of(Script.RELEASE);
    static final Predicate<String> CONFIRM = of(Script.CONFIRM);
    static final Predicate<String> RENEW = of(Script.RENEW);
    static final Predicate<String> REFRESH = of(Script.REFRESH);
    static final Predicate<String> ADOPT = of(Script.ADOPT);
    static final Predicate<String> PLAIN_ACQUIRE = of(Script.PLAIN_ACQUIRE);
    static final Predicate<String> PLAIN_RELEASE = of(Script.PLAIN_RELEASE);
    static final Predicate<String> PLAIN_EXTEND = of(Script.PLAIN_EXTEND);
    static final Predicate<String> ANY =
            ACQUIRE.or(RELEASE).or(CONFIRM).or(RENEW).or(REFRESH);

    private ScriptCalls() {}

    /**
     * Makes the scripts known to a server. A trap then catches a script that is executed, not one that is answered with
     * {@code NOSCRIPT} and sent again as text.
     */
    static void load(RedisServer server) {
        for (Script script : Script.values()) {
            server.command("SCRIPT", "LOAD", script.text());
        }
    }

    private static Predicate<String> of(Script script) {
        String bySha = "EVALSHA " + script.sha1() + " ";
        String byText = "EVAL -- " + script.fileName();
        return request -> request.startsWith(bySha) || request.startsWith(byText);
    }
}
