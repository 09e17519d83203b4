package io.holdfast.cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The ticket of a lease that a {@link LeaseKeeper} keeps: the folder in which that listens. Only its user can enter it.
 *
 * <p>One line is asked, {@code check} or {@code release}, and one is answered: a word, the token, how long the lease lasts
 * yet in milliseconds, the lock's name; or, if it was lost, {@code lost}, the token, 0, the name, and why. Names are
 * escaped.
 *
 * @param folder where it is
 */
record Ticket(Path folder) {
    private static final String SOCKET = "lease";
    private static final String PREFIX = "holdfast-lease-";
    /** Addresses of sockets are short: 108 bytes on Linux, 104 on macOS. */
    private static final int LONGEST_PATH = 100;

    private static final Path USUAL_PLACE = Path.of("/tmp");
    private static final Duration BEING_MADE = Duration.ofMinutes(1);
    private static final String SEPARATOR = "\t";

    /**
     * What a keeper answers.
     *
     * @param word {@code held}, {@code released}, {@code unconfirmed} or {@code lost}
     * @param token the fencing token
     * @param millis how long the lease lasts yet
     * @param lock the lock's name
     * @param why why it was lost; empty if it was not
     */
    record Answer(String word, long token, long millis, String lock, String why) {
        String line() {
            return word + SEPARATOR + token + SEPARATOR + millis + SEPARATOR + Say.printable(lock) + SEPARATOR
                    + Say.printable(why) + "\n";
        }

        static Answer read(@Nullable String line) throws IOException {
            String[] parts = line == null ? new String[0] : line.split(SEPARATOR, -1);
            if (parts.length != 5) {
                throw new IOException("the keeper gave no answer");
            }
            return new Answer(parts[0], Long.parseLong(parts[1]), Long.parseLong(parts[2]), parts[3], parts[4]);
        }
    }

    /** Nobody keeps the lease any more. */
    static final class GoneException extends Exception {
        private static final long serialVersionUID = 1L;

        GoneException(String message) {
            super(message);
        }
    }

    /** As it was typed. */
    static Ticket parse(String text) {
        if (text.isEmpty()) {
            throw new UsageException("--ticket is empty: has holdfast acquire failed? Its status says so");
        }
        Path folder = Path.of(text);
        if (!folder.isAbsolute() || !String.valueOf(folder.getFileName()).startsWith(PREFIX)) {
            throw new UsageException("--ticket is '" + text + "', which is not a ticket that holdfast acquire printed");
        }
        return new Ticket(folder);
    }

    /** Makes a folder, and removes those of keepers that were killed. */
    static Ticket create() throws IOException {
        Path place = Path.of(System.getProperty("java.io.tmpdir")).toAbsolutePath();
        if (place.toString().getBytes(StandardCharsets.UTF_8).length + PREFIX.length() + 30 > LONGEST_PATH) {
            place = USUAL_PLACE;
        }
        Path made = Files.createTempDirectory(place, PREFIX); // for its user only, as it always is
        sweep(place, made);
        return new Ticket(made);
    }

    /** Of this user's own only: others can put there what they like. */
    private static void sweep(Path place, Path made) {
        try (DirectoryStream<Path> folders = Files.newDirectoryStream(place, PREFIX + "*")) {
            UserPrincipal me = Files.getOwner(made);
            for (Path each : folders) {
                Ticket other = new Ticket(each);
                if (!each.equals(made)
                        && Files.isDirectory(each, LinkOption.NOFOLLOW_LINKS)
                        && Files.getOwner(each, LinkOption.NOFOLLOW_LINKS).equals(me)
                        && other.isAbandoned()) {
                    other.remove();
                }
            }
        } catch (IOException e) {
            // They are in nobody's way.
        }
    }

    private boolean isAbandoned() {
        if (!Files.exists(socket())) {
            return !isNew();
        }
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            channel.configureBlocking(false); // a keeper that is stopped accepts nobody, and its queue may be full
            channel.connect(UnixDomainSocketAddress.of(socket()));
            return false;
        } catch (ConnectException e) {
            return !isNew(); // its maker may not listen yet
        } catch (IOException e) {
            return false;
        }
    }

    private boolean isNew() {
        try {
            return !Files.getLastModifiedTime(folder)
                    .toInstant()
                    .isBefore(Instant.now().minus(BEING_MADE));
        } catch (IOException e) {
            return true;
        }
    }

    private Path socket() {
        return folder.resolve(SOCKET);
    }

    ServerSocketChannel listen() throws IOException {
        return ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(UnixDomainSocketAddress.of(socket()));
    }

    void remove() {
        try {
            Files.deleteIfExists(socket());
            Files.deleteIfExists(folder);
        } catch (IOException e) {
            // The next that makes one tries again.
        }
    }

    /**
     * Asks the keeper.
     *
     * @throws GoneException if there is none
     */
    Answer ask(String question) throws GoneException, IOException {
        if (!Files.exists(socket())) {
            throw new GoneException(
                    "no process keeps a lease under this ticket: the lease was released, or its script has ended");
        }
        try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socket()))) {
            channel.write(ByteBuffer.wrap((question + "\n").getBytes(StandardCharsets.UTF_8)));
            return Answer.read(
                    new BufferedReader(new InputStreamReader(Channels.newInputStream(channel), StandardCharsets.UTF_8))
                            .readLine());
        } catch (ConnectException e) {
            remove();
            throw new GoneException(
                    "the process that kept the lease was killed: the lock is free when its lease ends, and"
                            + " another client may have acquired it since");
        }
    }
}
