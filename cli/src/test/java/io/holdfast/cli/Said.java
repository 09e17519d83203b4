package io.holdfast.cli;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.Strictness;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import io.holdfast.contracts.servers.RedisServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.IntSupplier;
import java.util.stream.Stream;

/**
 * What a command said and ended with, that was run within this process: much sooner done than in one of its own.
 *
 * @param status what it ended with
 * @param out its standard output
 * @param err its standard error
 */
record Said(int status, String out, String err) {
    /** {@code holdfast} with these words, on a server. */
    static Said by(RedisServer server, String... words) {
        return by(Stream.concat(Arrays.stream(words), Stream.of("--url", server.url()))
                .toArray(String[]::new));
    }

    /** {@code holdfast} with these words. */
    static Said by(String... words) {
        return during(() -> Main.status(words));
    }

    /** All that is said while something is done. */
    static Said during(IntSupplier doing) {
        PrintStream outBefore = System.out;
        PrintStream errBefore = System.err;
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        try (PrintStream newOut = new PrintStream(out, true, StandardCharsets.UTF_8);
                PrintStream newErr = new PrintStream(err, true, StandardCharsets.UTF_8)) {
            System.setOut(newOut);
            System.setErr(newErr);
            int status = doing.getAsInt();
            return new Said(status, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
        } finally {
            System.setOut(outBefore);
            System.setErr(errBefore);
        }
    }

    /** Its standard output as one JSON document, and nothing beside it. */
    JsonObject json() {
        return json(out);
    }

    static JsonObject json(String text) {
        JsonReader reader = new JsonReader(new StringReader(text));
        reader.setStrictness(Strictness.STRICT);
        JsonObject document = JsonParser.parseReader(reader).getAsJsonObject();
        try {
            if (reader.peek() != JsonToken.END_DOCUMENT) {
                throw new AssertionError("more than one document: " + text);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return document;
    }
}
