package io.holdfast.cli;

import io.holdfast.spi.Credentials;
import io.holdfast.spi.DriverException;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Has the password from a command of the shell, which is run for each connection.
 *
 * @param name what it was given by
 */
record PasswordCommand(String name, String command) implements Supplier<Credentials> {
    private static final long PATIENCE_SECONDS = 5;

    @Override
    public Credentials get() {
        try {
            Process process = new ProcessBuilder("/bin/sh", "-c", command)
                    .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            var timer = CompletableFuture.delayedExecutor(PATIENCE_SECONDS, TimeUnit.SECONDS);
            timer.execute(() -> {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly();
            });
            String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            int status = process.waitFor();
            if (status != 0) {
                throw DriverException.unknown(
                        "no password: the command of " + name + " ended with " + status
                                + (status > ExitStatus.SIGNALLED
                                        ? ", perhaps because it took " + PATIENCE_SECONDS + "s"
                                        : ""),
                        null);
            }
            String password = PasswordFile.firstLine(text);
            if (password.isEmpty()) {
                throw DriverException.unknown("no password: the command of " + name + " printed none", null);
            }
            return Credentials.ofPassword(password);
        } catch (IOException e) {
            throw DriverException.unknown("no password: the command of " + name + " failed: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw DriverException.unknown("no password: interrupted", e);
        }
    }
}
