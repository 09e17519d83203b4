package io.holdfast;

import java.io.IOException;
import java.net.InetAddress;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Locale;

/** Who a holder is, in words, as it stands in the hold: {@code application/host/pid/thread}, each part URL-encoded. */
final class Label {
    private Label() {}

    /** The part that all requests of one client share. */
    static String ofClient(String application) {
        return encode(application, 100) + "/" + encode(hostName(), 100) + "/"
                + ProcessHandle.current().pid();
    }

    static String ofThread(Thread thread) {
        return encode(thread.getName(), 60);
    }

    /** Reads what the server tells of a hold; labels that are none of ours are shown as they are. */
    static Holder holder(String owner, long token, long sinceMicros, String label) {
        String[] parts = label.split("/", -1);
        return new Holder(
                owner,
                token,
                part(parts, 0),
                part(parts, 1),
                part(parts, 2),
                part(parts, 3),
                Instant.ofEpochSecond(sinceMicros / 1_000_000, sinceMicros % 1_000_000 * 1_000));
    }

    /** The same of a queued request. */
    static Waiter waiter(String owner, long sinceMicros, String label) {
        Holder read = holder(owner, 0, sinceMicros, label);
        return new Waiter(owner, read.application(), read.host(), read.pid(), read.thread(), read.since());
    }

    private static String part(String[] parts, int index) {
        if (index >= parts.length) {
            return "";
        }
        try {
            return URLDecoder.decode(parts[index], StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return parts[index];
        }
    }

    private static String encode(String text, int longest) {
        return URLEncoder.encode(text.length() > longest ? text.substring(0, longest) : text, StandardCharsets.UTF_8);
    }

    /** Asks the name service last: where it is set up badly, it takes seconds. */
    private static String hostName() {
        String fromShell = System.getenv("HOSTNAME");
        if (fromShell != null && !fromShell.isEmpty()) {
            return fromShell;
        }
        try {
            String fromKernel =
                    Files.readString(Path.of("/proc/sys/kernel/hostname")).trim();
            if (!fromKernel.isEmpty()) {
                return fromKernel;
            }
        } catch (IOException e) {
            // Not Linux.
        }
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "localhost";
        }
    }

    /** The main class or jar, without its package or folder. */
    static String applicationName() {
        String command = System.getProperty("sun.java.command", "");
        int space = command.indexOf(' ');
        String main = space < 0 ? command : command.substring(0, space);
        int slash = Math.max(main.lastIndexOf('/'), main.lastIndexOf('\\'));
        main = main.substring(slash + 1);
        if (main.toLowerCase(Locale.ROOT).endsWith(".jar")) {
            main = main.substring(0, main.length() - 4);
        } else {
            main = main.substring(main.lastIndexOf('.') + 1);
        }
        return main.isEmpty() ? "java" : main.length() > 100 ? main.substring(0, 100) : main;
    }
}
