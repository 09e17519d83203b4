package io.holdfast.spi;

import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The address of one server: {@code redis://[user[:password]@]host[:port][/database]}, or {@code rediss://} for TLS. A
 * password alone is written {@code redis://:password@host}. User and password are percent-decoded. In them, percent-encode every
 * character that is neither a letter nor a digit.
 *
 * @param host name or address; an IPv6 address without brackets
 * @param port 1 to 65535; 6379 if the text names none
 * @param tls whether the connection is encrypted, as {@link ConnectOptions#tls()} says
 * @param user the ACL user, or null for the default user; without a password if {@link ConnectOptions#credentials()} has it
 * @param password the password, or null for none
 * @param database 0 or more
 */
public record RedisAddress(
        String host,
        int port,
        boolean tls,
        @Nullable String user,
        @Nullable String password,
        int database) {
    static final String RULE = "expected redis://[user[:password]@]host[:port][/database] or rediss://…";

    /** Describes the mistake without repeating any of the text. */
    private static final String UNENCODED = "address has a user or a password with a special character:"
            + " percent-encode the password (% as %25, / as %2F, @ as %40, # as %23, ? as %3F, a space as %20), or give it"
            + " in another way; " + RULE;

    /** Validates the components. */
    public RedisAddress {
        if (host.isEmpty()) {
            throw new IllegalArgumentException("host must not be empty");
        }
        if (port < 1 || port > 65535) {
            throw new IllegalArgumentException("port is " + port + ", must be 1 to 65535");
        }
        if (database < 0) {
            throw new IllegalArgumentException("database is " + database + ", must be 0 or more");
        }
    }

    /**
     * Reads an address from its text form. {@code valkey} and {@code valkeys} mean the same as {@code redis} and
     * {@code rediss}, in letters of either case.
     *
     * @throws IllegalArgumentException if the text cannot be parsed; the message never repeats a password
     */
    public static RedisAddress parse(String text) {
        URI uri;
        try {
            uri = new URI(text);
        } catch (URISyntaxException e) {
            // The exception of URI would repeat the text, and with it the password.
            throw new IllegalArgumentException(
                    text.indexOf('@') < 0 || text.endsWith("@")
                            ? "address is not a URI (" + e.getReason() + "): " + RULE
                            : UNENCODED);
        }
        String given = uri.getScheme();
        String scheme = given == null ? "" : given.toLowerCase(Locale.ROOT).replaceFirst("^valkey", "redis");
        if (!scheme.equals("redis") && !scheme.equals("rediss")) {
            throw new IllegalArgumentException(
                    "address has the scheme " + (given == null ? "(none)" : "'" + given + "'") + ": " + RULE);
        }
        String host = uri.getHost();
        if (host == null) {
            throw new IllegalArgumentException(
                    text.indexOf('@') < 0 || text.endsWith("@") ? "address names no host: " + RULE : UNENCODED);
        }
        if (host.startsWith("[")) {
            host = host.substring(1, host.length() - 1);
        }
        String authority = uri.getRawAuthority();
        if (text.indexOf('@', text.indexOf(authority) + authority.length()) > 0) {
            // What was read as host, port and database is part of a password, and must not be repeated.
            throw new IllegalArgumentException(UNENCODED);
        }
        if (uri.getRawQuery() != null || uri.getRawFragment() != null) {
            throw new IllegalArgumentException("address has a query or a fragment, which mean nothing here: " + RULE);
        }
        String user = null;
        String password = null;
        String info = uri.getRawUserInfo();
        if (info != null) {
            int colon = info.indexOf(':');
            String name = decode(colon < 0 ? info : info.substring(0, colon));
            user = name.isEmpty() ? null : name;
            password = colon < 0 ? null : decode(info.substring(colon + 1));
        }
        return new RedisAddress(
                host,
                uri.getPort() < 0 ? 6379 : uri.getPort(),
                scheme.equals("rediss"),
                user,
                password,
                database(uri.getPath()));
    }

    private static int database(@Nullable String path) {
        if (path == null || path.isEmpty() || path.equals("/")) {
            return 0;
        }
        try {
            return Integer.parseInt(path.substring(1));
        } catch (NumberFormatException e) {
            // Neither the text nor the cause, which repeats it: see above.
            throw new IllegalArgumentException("address has a database that is not a number: " + RULE);
        }
    }

    private static String decode(String text) {
        return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    }

    /** Returns host and port in the usual form; an IPv6 address is put in brackets. */
    public String hostAndPort() {
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    }

    /** Returns the address without user and password. */
    @Override
    public String toString() {
        return (tls ? "rediss://" : "redis://") + hostAndPort() + (database == 0 ? "" : "/" + database);
    }
}
