package io.holdfast.contracts;

import io.holdfast.Holdfast;
import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.contracts.servers.TcpProxy;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Recognises the engine's scripts among the requests that a {@link TcpProxy} sees, whether sent as SHA-1 or as text. */
final class ScriptCalls {
    private static final Pattern INCLUDE = Pattern.compile("^-- include (\\w+)\\.lua\\n", Pattern.MULTILINE);

    static final Predicate<String> ACQUIRE = of("acquire");
    static final Predicate<String> RELEASE = of("release");
    static final Predicate<String> CONFIRM = of("confirm");
    static final Predicate<String> RENEW = of("renew");
    static final Predicate<String> REFRESH = of("refresh");
    static final Predicate<String> ADOPT = of("adopt");
    static final Predicate<String> PLAIN_ACQUIRE = of("plain_acquire");
    static final Predicate<String> PLAIN_RELEASE = of("plain_release");
    static final Predicate<String> PLAIN_EXTEND = of("plain_extend");
    static final Predicate<String> ANY =
            ACQUIRE.or(RELEASE).or(CONFIRM).or(RENEW).or(REFRESH);

    private ScriptCalls() {}

    /**
     * Makes the scripts known to a server. A trap then catches a script that is executed, not one that is answered with
     * {@code NOSCRIPT} and sent again as text.
     */
    static void load(RedisServer server) {
        for (String name : List.of(
                "acquire",
                "release",
                "confirm",
                "renew",
                "refresh",
                "info",
                "adopt",
                "adopted",
                "plain_acquire",
                "plain_release",
                "plain_extend",
                "plain_info")) {
            server.command("SCRIPT", "LOAD", text(name));
        }
    }

    private static String text(String name) {
        return INCLUDE.matcher(wrapped(resource(name)))
                .replaceAll(include -> Matcher.quoteReplacement(resource(include.group(1))));
    }

    private static String wrapped(String script) {
        String[] around = resource("reply").split("-- body\n", -1);
        int header = script.indexOf("\n\n") + 2;
        return script.substring(0, header)
                + around[0].substring(around[0].indexOf("\n\n") + 2)
                + script.substring(header)
                + around[1];
    }

    private static Predicate<String> of(String name) {
        String bySha = "EVALSHA " + sha1(text(name)) + " ";
        String byText = "EVAL -- " + name + ".lua";
        return request -> request.startsWith(bySha) || request.startsWith(byText);
    }

    static String sha1(String text) {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-1").digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-1", e);
        }
    }

    private static String resource(String name) {
        try (InputStream in = Holdfast.class.getResourceAsStream("lua/" + name + ".lua")) {
            if (in == null) {
                throw new IllegalStateException("script " + name + " is not on the class path");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
