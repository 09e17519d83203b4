package io.holdfast.cli;

import io.holdfast.spi.Credentials;
import io.holdfast.spi.DriverException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.function.Supplier;

/**
 * Has the password in the first line of a file, which is read for each connection.
 *
 * @param name what the file was given by
 */
record PasswordFile(String name, Path path) implements Supplier<Credentials> {
    @Override
    public Credentials get() {
        try {
            return read();
        } catch (IOException e) {
            throw DriverException.unknown(String.valueOf(e.getMessage()), e);
        }
    }

    /** @throws IOException with a message for people */
    Credentials read() throws IOException {
        String text;
        try {
            text = Files.readString(path, StandardCharsets.UTF_8);
        } catch (NoSuchFileException e) {
            throw new IOException(name + ": " + path + " does not exist", e);
        } catch (AccessDeniedException e) {
            throw new IOException(name + ": " + path + " may not be read by this user", e);
        } catch (IOException e) {
            throw new IOException(name + ": " + path + " cannot be read: " + e.getMessage(), e);
        }
        String password = firstLine(text);
        if (password.isEmpty()) {
            throw new IOException(name + ": " + path + " has nothing in its first line");
        }
        return Credentials.ofPassword(password);
    }

    static String firstLine(String text) {
        return text.lines().findFirst().orElse("");
    }
}
