package io.holdfast.cli;

import io.holdfast.spi.Credentials;
import io.holdfast.spi.Tls;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * As whom a server is connected to, and with which certificates: from options, else from variables.
 *
 * @param credentials who has the password; null if the address has it, or there is none
 * @param tls the certificates
 * @param passedOn whether the command that runs under a lock gets the variables with passwords, too
 * @param warnings what ought to be done otherwise
 */
record Access(@Nullable Supplier<Credentials> credentials, Tls tls, boolean passedOn, List<String> warnings) {
    static final String PASS_SECRETS = "--pass-secrets";
    static final String PASSWORD = "HOLDFAST_PASSWORD";
    /** What to do where a server wants a password. */
    static final String ADVICE = "give the password in " + PASSWORD + ", or with --password-file or --password-command";

    private static final String URL = "HOLDFAST_URL";
    private static final String FILE = "--password-file";
    private static final String COMMAND = "--password-command";
    private static final String AUTHORITIES = "--cacert";
    private static final String CERTIFICATE = "--cert";
    private static final String KEY = "--key";

    /** The options that have a value, with what they are called in help and what they do. */
    static final Map<String, String[]> OPTIONS = options();

    /** Of a server that needs nothing of it. */
    static final Access NONE = new Access(null, Tls.defaults(), false, List.of());

    private static Map<String, String[]> options() {
        Map<String, String[]> options = new LinkedHashMap<>();
        options.put(FILE, new String[] {
            "FILE", "Read the password from the first line of a file; by default the file in HOLDFAST_PASSWORD_FILE."
        });
        options.put(COMMAND, new String[] {
            "COMMAND",
            "Run a shell command whenever a connection is opened, and take the password from the first line"
                    + " that it prints; by default the command in HOLDFAST_PASSWORD_COMMAND."
        });
        options.put(AUTHORITIES, new String[] {
            "FILE",
            "Trust only the authorities whose certificates are in a PEM file; by default HOLDFAST_CACERT,"
                    + " else the authorities that Java trusts."
        });
        options.put(CERTIFICATE, new String[] {
            "FILE", "Present the certificate in a PEM file to a server that asks for one; by default HOLDFAST_CERT."
        });
        options.put(KEY, new String[] {
            "FILE",
            "Key of that certificate, in PKCS#8 and not encrypted; by default HOLDFAST_KEY, else in the"
                    + " certificate's file."
        });
        return options;
    }

    private static String variable(String option) {
        return "HOLDFAST_" + option.substring(2).toUpperCase(Locale.ROOT).replace('-', '_');
    }

    /**
     * Reads them.
     *
     * @param url the server's address
     * @param onCommandLine whether the address stands on the command line
     * @param option what an option was given; null if it was not
     * @param variables the environment
     * @throws UsageException if they contradict each other, a file is missing, or a user has no password
     */
    static Access of(
            String url,
            boolean onCommandLine,
            boolean passedOn,
            Function<String, @Nullable String> option,
            Map<String, String> variables) {
        List<String> warnings = new ArrayList<>();
        String plain = withoutSentinelPassword(url);
        boolean inUrl = passwordEnd(plain) >= 0;
        if (onCommandLine && (inUrl || !plain.equals(url))) {
            warnings.add("every user of this machine can read the password in --url (ps shows it): give it in "
                    + PASSWORD + ", or with " + FILE);
        }
        Supplier<Credentials> credentials =
                credentials(inUrl ? onCommandLine ? "--url" : URL : null, option, variables, warnings);
        if (credentials == null && !inUrl && namesUser(url)) {
            throw new UsageException("address names a user without a password: " + advice(variables));
        }
        return new Access(credentials, tls(url, option, variables, warnings), passedOn, List.copyOf(warnings));
    }

    Access passingOn(boolean wanted) {
        return new Access(credentials, tls, wanted, warnings);
    }

    /** @throws UsageException if one was given although there is no server that could want it */
    static void refuseWithoutServer(Function<String, @Nullable String> option) {
        for (String each : OPTIONS.keySet()) {
            if (option.apply(each) != null) {
                throw new UsageException(
                        each + " applies only to a server, but no address is given: give an address with --url or in "
                                + URL);
            }
        }
    }

    private static @Nullable Supplier<Credentials> credentials(
            @Nullable String urlWithPassword,
            Function<String, @Nullable String> option,
            Map<String, String> variables,
            List<String> warnings) {
        Map<String, String> given = new LinkedHashMap<>();
        for (String each : List.of(FILE, COMMAND)) {
            String value = option.apply(each);
            if (value != null) {
                given.put(each, value);
            }
        }
        boolean byOption = !given.isEmpty();
        boolean urlByOption = "--url".equals(urlWithPassword);
        if (!byOption && !urlByOption) {
            for (String each : List.of(PASSWORD, variable(FILE), variable(COMMAND))) {
                String value = variables.get(each);
                if (value != null) {
                    given.put(each, value);
                }
            }
        }
        if (urlWithPassword != null && (urlByOption || !byOption)) {
            given.put(urlWithPassword, "");
        }
        if (given.size() > 1) {
            throw new UsageException("a password is given twice: by " + String.join(" and by ", given.keySet()));
        }
        for (Map.Entry<String, String> each : given.entrySet()) {
            String name = each.getKey();
            if (name.equals(urlWithPassword)) {
                return null;
            }
            if (each.getValue().isEmpty()) {
                throw new UsageException(name + " is empty");
            }
            if (name.equals(PASSWORD)) {
                return new Known(Credentials.ofPassword(each.getValue()));
            }
            if (name.equals(COMMAND) || name.equals(variable(COMMAND))) {
                return new PasswordCommand(name, each.getValue());
            }
            PasswordFile file = new PasswordFile(name, Path.of(each.getValue()));
            try {
                file.read();
            } catch (IOException e) {
                throw new UsageException(String.valueOf(e.getMessage()));
            }
            warnIfOpen(file.path(), warnings);
            return file;
        }
        return null;
    }

    private static Tls tls(
            String url,
            Function<String, @Nullable String> option,
            Map<String, String> variables,
            List<String> warnings) {
        // Variables are for all servers; what is meant by an option is told if it cannot be.
        boolean encrypted = url.toLowerCase(Locale.ROOT).matches("(rediss|valkeys)\\b.*");
        String authorities = value(AUTHORITIES, option, encrypted ? variables : Map.of());
        boolean own = option.apply(CERTIFICATE) != null || option.apply(KEY) != null;
        Map<String, String> pair = own || !encrypted ? Map.of() : variables;
        String certificate = value(CERTIFICATE, option, pair);
        String key = value(KEY, option, pair);
        if (certificate == null && key != null) {
            throw new UsageException(
                    own ? KEY + " without " + CERTIFICATE : variable(KEY) + " without " + variable(CERTIFICATE));
        }
        Tls tls = Tls.defaults();
        if (authorities != null) {
            tls = tls.withAuthorities(Path.of(authorities));
        }
        if (certificate != null) {
            Path secret = Path.of(key == null ? certificate : key);
            tls = tls.withCertificate(Path.of(certificate), secret);
            warnIfOpen(secret, warnings);
        }
        return tls;
    }

    private static @Nullable String value(
            String name, Function<String, @Nullable String> option, Map<String, String> variables) {
        String given = option.apply(name);
        String shown = given == null ? variable(name) : name;
        String value = given == null ? variables.get(shown) : given;
        if (value != null && value.isEmpty()) {
            throw new UsageException(shown + " is empty");
        }
        return value;
    }

    private static void warnIfOpen(Path file, List<String> warnings) {
        try {
            if (Files.getPosixFilePermissions(file).contains(PosixFilePermission.OTHERS_READ)) {
                warnings.add("every user of this machine can read " + file + ": chmod o-r it");
            }
        } catch (IOException | UnsupportedOperationException e) {
            // There are no such permissions here; or the file is missing, which is told when it is used.
        }
    }

    /** Takes passwords out of the variables of the command that runs under a lock. What names a file, or a command, stays. */
    void withhold(Map<String, String> environment) {
        if (passedOn) {
            return;
        }
        environment.remove(PASSWORD);
        String url = environment.get(URL);
        if (url != null) {
            environment.put(URL, withoutPasswords(url));
        }
    }

    /** The same address without passwords; names of users stay. */
    static String withoutPasswords(String url) {
        String shown = withoutSentinelPassword(url);
        int end = passwordEnd(shown);
        if (end < 0) {
            return shown;
        }
        int begin = shown.indexOf("://") + 3;
        String user = shown.substring(begin, shown.indexOf(':', begin));
        return shown.substring(0, begin) + (user.isEmpty() ? "" : user + "@") + shown.substring(end + 1);
    }

    private static String withoutSentinelPassword(String url) {
        String shown = url.replaceAll("([?&])sentinel-password=[^&]*&?", "$1");
        return shown.equals(url) ? url : shown.replaceAll("[?&]$", "");
    }

    private static boolean namesUser(String url) {
        int begin = url.indexOf("://");
        return begin >= 0 && url.lastIndexOf('@') > begin + 3;
    }

    /** Where the @ is behind a password; -1 if there is none. */
    private static int passwordEnd(String url) {
        int begin = url.indexOf("://");
        if (begin < 0) {
            return -1;
        }
        int at = url.lastIndexOf('@');
        int colon = url.indexOf(':', begin + 3);
        return colon >= 0 && colon < at ? at : -1;
    }

    /** What to say beside the refusal of a server that wants a password. */
    static String advice(Map<String, String> variables) {
        return variables.containsKey("HOLDFAST_LOCK")
                ? ADVICE + "; holdfast run passes the password on to its command only with " + PASS_SECRETS
                : ADVICE;
    }

    /** From a variable. */
    private record Known(Credentials held) implements Supplier<Credentials> {
        @Override
        public Credentials get() {
            return held;
        }
    }
}
