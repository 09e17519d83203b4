package io.holdfast.cli;

import io.holdfast.Diagnosis;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.embedded.SharedServerProvider;
import io.holdfast.jedis.JedisDriverProvider;
import io.holdfast.routing.Location;
import io.holdfast.spi.ConnectOptions;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.EmbeddedServerProvider.EmbeddedServer;
import io.holdfast.spi.RedisDriver;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ParseResult;

/**
 * The server that is to be used.
 *
 * @param url its address; {@code local} for the one that this user's processes share on this machine, null for the same
 *     if nobody said so
 * @param prefix what the names of its keys begin with; null for the library's default
 * @param access as whom it is connected to
 */
record Server(@Nullable String url, @Nullable String prefix, Access access) {
    static final String REQUIRE = "--require-server";
    static final String PREFIX = "--prefix";
    private static final String PREFIX_VARIABLE = "HOLDFAST_PREFIX";
    private static final String VARIABLE = "HOLDFAST_URL";
    private static final String REQUIRE_VARIABLE = "HOLDFAST_REQUIRE_SERVER";
    private static final String HOME_VARIABLE = "HOLDFAST_HOME";
    private static final String LOCAL = "local";
    private static final String APPLICATION = "holdfast";

    /** The client and its share in the machine-local server. */
    private record Local(Holdfast client, EmbeddedServer share) {}

    private static volatile @Nullable Local local;

    /** As nobody in particular. */
    Server(@Nullable String url, @Nullable String prefix) {
        this(url, prefix, Access.NONE);
    }

    /**
     * From options, else from the environment.
     *
     * @param options what options were given; null for those that were not
     * @param required whether it must be an address
     * @param passSecrets whether its password may be passed on
     * @throws UsageException if it must and is not, or if the variable is there and empty, which is hardly ever meant, or as
     *     {@link Access#of} does
     */
    static Server chosen(Function<String, @Nullable String> options, boolean required, boolean passSecrets) {
        String option = options.apply("--url");
        String given = option == null ? System.getenv(VARIABLE) : option;
        if (option == null && given != null && given.isEmpty()) {
            throw new UsageException(VARIABLE + " is empty: give it a server's address, or unset it for locks of this"
                    + " machine only");
        }
        String prefix = chosenPrefix(options.apply(PREFIX));
        Server server = new Server(given, prefix);
        if (server.machineLocal() && (required || isRequired())) {
            throw new UsageException((required ? REQUIRE : REQUIRE_VARIABLE + "=1") + " needs a server, but "
                    + (given == null ? "no address is given" : "'" + LOCAL + "' is none")
                    + ": give an address with --url or in " + VARIABLE);
        }
        if (given == null || server.machineLocal()) {
            Access.refuseWithoutServer(options);
            String home = System.getenv(HOME_VARIABLE);
            if (home != null && !home.isEmpty() && !home.startsWith("/")) {
                throw new UsageException(HOME_VARIABLE + " is '" + home
                        + "', must be an absolute path: else each working directory would have locks of its own");
            }
            return new Server(given, prefix, Access.NONE.passingOn(passSecrets));
        }
        return new Server(given, prefix, Access.of(given, option != null, passSecrets, options, System.getenv()));
    }

    private static @Nullable String chosenPrefix(@Nullable String option) {
        String given = option == null ? System.getenv(PREFIX_VARIABLE) : option;
        if (given == null) {
            return null;
        }
        try {
            HoldfastOptions.defaults().withPrefix(given);
        } catch (IllegalArgumentException e) {
            throw new UsageException((option == null ? PREFIX_VARIABLE : PREFIX) + ": " + e.getMessage());
        }
        return given;
    }

    private static boolean isRequired() {
        String variable = System.getenv(REQUIRE_VARIABLE);
        if (variable == null || variable.equals("0")) {
            return false;
        }
        if (!variable.equals("1")) {
            throw new UsageException(REQUIRE_VARIABLE + " is '" + variable + "', must be 1 or 0");
        }
        return true;
    }

    boolean machineLocal() {
        return url == null || url.equals(LOCAL);
    }

    /** Whether it is machine-local although nobody said so: that is to be told, whatever else is not. */
    private boolean silentlyMachineLocal() {
        return url == null;
    }

    /** For one of the commands that have other things to look at than their child. */
    static Server of(ParseResult given) {
        return chosen(
                name -> given.matchedOptionValue(name, null),
                given.hasMatchedOption(REQUIRE),
                given.hasMatchedOption(Access.PASS_SECRETS));
    }

    /** The same under another prefix. */
    Server under(String otherPrefix) {
        return new Server(url, otherPrefix, access);
    }

    /** As another process is to be told of it on its command line. */
    List<String> asOptions() {
        List<String> words = new ArrayList<>(List.of("--url", url == null ? LOCAL : url));
        if (prefix != null) {
            words.addAll(List.of(PREFIX, prefix));
        }
        return words;
    }

    Holdfast connect(String application) {
        return connect(application, false);
    }

    /**
     * Connects.
     *
     * @param quiet whether to say nothing of a server that may drop locks when its memory is full
     * @throws DriverException if nothing answers
     */
    Holdfast connect(String application, boolean quiet) {
        return connect(application, options -> quiet ? options.withEviction(HoldfastOptions.Eviction.IGNORE) : options);
    }

    /**
     * Connects.
     *
     * @param changes of the options that follow from the command line
     * @throws DriverException if nothing answers
     */
    Holdfast connect(String application, UnaryOperator<HoldfastOptions> changes) {
        HoldfastOptions options = changes.apply(options(application));
        if (!machineLocal()) {
            return Holdfast.over(driver(options), options);
        }
        EmbeddedServer share = new SharedServerProvider().join();
        Holdfast client = Holdfast.embedded(share, new JedisDriverProvider(), options);
        local = new Local(client, share);
        return client;
    }

    /**
     * A command is about to start for which a lock is held. If that is machine-local and this process is killed now, nobody
     * knows whether the command runs: the lock expires at the end of its lease duration.
     */
    static void startsCommand() {
        Local mine = local;
        if (mine != null) {
            mine.share().conceal(mine.client().id());
        }
    }

    /**
     * The command runs: if this process is killed, a machine-local lock is free when the command, too, has ended, and what
     * ends all that runs below it.
     */
    static void runsCommand(long... pids) {
        Local mine = local;
        if (mine != null) {
            mine.share().present(mine.client().id(), pids);
        }
    }

    /** Connects for a command that looks at locks or steers them, and says so if they are those of this machine only. */
    Holdfast open() {
        announce();
        return connect(APPLICATION);
    }

    private HoldfastOptions options(String application) {
        HoldfastOptions options = HoldfastOptions.defaults()
                .withApplication(application)
                .withCredentials(access.credentials())
                .withTls(access.tls());
        return prefix == null ? options : options.withPrefix(prefix);
    }

    /** Says what ought to be done otherwise about passwords and keys. */
    private void warn() {
        access.warnings().forEach(Say::line);
    }

    /** Before a lock is asked for. That it is machine-local although nobody said so is told whatever else is not. */
    void announceLock(boolean quiet) {
        if (!quiet) {
            warn();
        }
        if (silentlyMachineLocal()) {
            Say.line("machine-local lock: it covers only this user's processes on this machine"
                    + " (to cover more, give --url or " + VARIABLE + "; if this is what you want, give --url local)");
        }
    }

    private void announce() {
        warn();
        if (silentlyMachineLocal()) {
            Say.line("machine-local locks of this user (for others, give --url or " + VARIABLE + ")");
        }
    }

    /**
     * Looks at the server itself, also if connecting to it would be refused.
     *
     * @throws DriverException if nothing answers
     */
    Diagnosis diagnose() {
        announce();
        HoldfastOptions options = options(APPLICATION);
        return Holdfast.diagnose(driver(options), options);
    }

    /** How fast its clock runs, watched for so long. */
    Optional<ClockDrift> drift(Duration length) {
        RedisDriver driver = driver(options(APPLICATION));
        try {
            return ClockDrift.of(driver, length);
        } finally {
            driver.close();
        }
    }

    /** Whether it is machine-local and the program that comes with this command. */
    boolean isBundled() {
        if (!machineLocal()) {
            return false;
        }
        try (EmbeddedServer share = new SharedServerProvider().join()) {
            return SharedServerProvider.isBundled(share);
        }
    }

    /** What is said after "nobody holds it": nobody of whom. */
    String where() {
        return (prefix == null ? "" : " under the prefix '" + prefix + "'")
                + (machineLocal() ? " among this user's locks on this machine" : "");
    }

    /** Which it is, without a password. */
    String inWords() {
        String address = url;
        return address == null || machineLocal()
                ? "this user's locks on this machine"
                : parse(address).toString();
    }

    private RedisDriver driver(HoldfastOptions options) {
        ConnectOptions plain = new ConnectOptions(options.connectTimeout(), APPLICATION);
        // By name and not by Holdfast.connect, which has to look through every jar for drivers.
        JedisDriverProvider jedis = new JedisDriverProvider();
        String address = url;
        if (address == null || machineLocal()) {
            return jedis.connect(new SharedServerProvider().join().address(), plain);
        }
        Location location = parse(address);
        try {
            return location.connect(
                    jedis,
                    plain.withCredentials(access.credentials()).withTls(access.tls()),
                    plain.withTls(access.tls()));
        } catch (IllegalArgumentException e) {
            throw new UsageException(String.valueOf(e.getMessage()));
        } catch (DriverException e) {
            if (e.code().equals("NOAUTH")) {
                throw DriverException.rejected(e.getMessage() + " (" + location + " requires a password: "
                        + Access.advice(System.getenv()) + ")");
            }
            if (e.kind() == DriverException.Kind.REJECTED) {
                Holdfast.connect(address, options).close(); // will fail too, and explain it
            }
            throw e;
        }
    }

    private static Location parse(String url) {
        try {
            return Location.parse(url);
        } catch (IllegalArgumentException e) {
            // The address is not repeated: it may hold a password.
            throw new UsageException("--url or " + VARIABLE + ": " + e.getMessage());
        }
    }
}
