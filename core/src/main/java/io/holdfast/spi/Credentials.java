package io.holdfast.spi;

import org.jspecify.annotations.Nullable;

/**
 * The user and password for a connection.
 *
 * @param user the ACL user; null for the user that the address names, or the default user if it names none
 * @param password the password, which may be empty for a user that needs none; never shown
 */
public record Credentials(@Nullable String user, String password) {
    /** Validates the components. */
    public Credentials {
        if (user != null && user.isEmpty()) {
            throw new IllegalArgumentException("user must not be empty; null stands for the default user");
        }
    }

    /** Returns the credentials of a user with a password. */
    public static Credentials of(String user, String password) {
        return new Credentials(user, password);
    }

    /** Returns credentials with the password of the user that the address names, or of the default user if it names none. */
    public static Credentials ofPassword(String password) {
        return new Credentials(null, password);
    }

    /** Returns the user, without the password. */
    @Override
    public String toString() {
        return "Credentials[" + (user == null ? "" : "user " + user + ", ") + "password not shown]";
    }
}
