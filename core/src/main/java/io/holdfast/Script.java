package io.holdfast;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Locale;

/**
 * A script as it ships: its text, with the common part put in, and the SHA-1 of exactly these bytes, by which the server
 * knows it.
 */
enum Script {
    ACQUIRE,
    RELEASE,
    CONFIRM,
    RENEW,
    REFRESH,
    INFO;

    private static final String INCLUDE = "-- include common.lua\n";

    private final String text;
    private final String sha1;

    Script() {
        String body = resource(fileName());
        this.text = body.contains(INCLUDE) ? body.replace(INCLUDE, resource("common.lua")) : body;
        this.sha1 = sha1(text);
    }

    String text() {
        return text;
    }

    String sha1() {
        return sha1;
    }

    String fileName() {
        return name().toLowerCase(Locale.ROOT) + ".lua";
    }

    private static String resource(String file) {
        try (InputStream in = Script.class.getResourceAsStream("lua/" + file)) {
            if (in == null) {
                throw new IllegalStateException("script " + file + " is missing from the jar");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new IllegalStateException("script " + file + " cannot be read", e);
        }
    }

    private static String sha1(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-1").digest(text.getBytes(StandardCharsets.UTF_8));
            StringBuilder hex = new StringBuilder(40);
            for (byte b : digest) {
                hex.append(Character.forDigit((b >> 4) & 15, 16)).append(Character.forDigit(b & 15, 16));
            }
            return hex.toString();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-1", e);
        }
    }
}
