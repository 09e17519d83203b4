package io.holdfast.spi;

import org.jspecify.annotations.Nullable;

/**
 * As whom to connect.
 *
 * @param user the ACL user; null for the one that the address names, or else the default user
 * @param password the password, which may be empty for a user that needs none; never shown
 */
public record Credentials(@Nullable String user, String password) {
    /** Validates. */
    public Credentials {
        if (user != null && user.isEmpty()) {
            throw new IllegalArgumentException("user must not be empty; null stands for the default user");
        }
    }

    /** A user with a password. */
    public static Credentials of(String user, String password) {
        return new Credentials(user, password);
    }

    /** The password of the user that the address names, or else of the default user. */
    public static Credentials ofPassword(String password) {
        return new Credentials(null, password);
    }

    /** The user, without the password. */
    @Override
    public String toString() {
        return "Credentials[" + (user == null ? "" : "user " + user + ", ") + "password not shown]";
    }
}
