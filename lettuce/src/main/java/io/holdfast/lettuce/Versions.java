package io.holdfast.lettuce;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.netty.util.Version;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The one place that knows which versions of Lettuce and Netty are on the class path, and what only some of them have. What
 * a version has is decided by looking for a class of it, because a manifest may have been lost when jars were put together;
 * manifests are read for messages, and for Netty, whose versions differ in no class that could be looked for.
 */
final class Versions {
    private static final String OLDEST_LETTUCE = "6.6.0";

    /** Came with {@link #OLDEST_LETTUCE}. */
    private static final String SINCE_OLDEST_LETTUCE = "io.lettuce.core.RedisAuthenticationHandler";

    /** Of the versions 4.1 of Netty, with which the oldest Lettuce is built. */
    private static final int OLDEST_NETTY = 118;

    private static final Pattern NETTY = Pattern.compile("4\\.(\\d+)\\.(\\d+)\\D.*");

    private Versions() {}

    /** Decided when first asked. */
    private static final class Present {
        static final @Nullable String PROBLEM = problem(
                isThere(SINCE_OLDEST_LETTUCE), RedisClient.class.getPackage().getImplementationVersion(), netty());
        static final boolean MAINTENANCE_NOTIFICATIONS = isThere("io.lettuce.core.MaintNotificationsConfig");

        private static boolean isThere(String type) {
            try {
                Class.forName(type, false, RedisClient.class.getClassLoader());
                return true;
            } catch (ClassNotFoundException e) {
                return false;
            }
        }

        private static @Nullable String netty() {
            Version common = Version.identify(Version.class.getClassLoader()).get("netty-common");
            return common == null ? null : common.artifactVersion();
        }
    }

    /**
     * Refuses versions that are known not to work, rather than to fail later, with the first call that is not there.
     *
     * @throws IllegalStateException if Lettuce or Netty is too old; its message names the version and the oldest that works
     */
    static void check() {
        if (Present.PROBLEM != null) {
            throw new IllegalStateException(Present.PROBLEM);
        }
    }

    /**
     * @param lettuce the version, null if unknown
     * @param netty the version, null if unknown
     */
    static @Nullable String problem(boolean lettuceWillDo, @Nullable String lettuce, @Nullable String netty) {
        if (!lettuceWillDo) {
            // The manifest says "6.5.5.RELEASE/cb02888".
            return tooOld("Lettuce", lettuce == null ? null : lettuce.replaceFirst("/.*", ""), OLDEST_LETTUCE);
        }
        Matcher known = NETTY.matcher(netty == null ? "" : netty);
        if (known.matches()) {
            int minor = Integer.parseInt(known.group(1));
            if (minor == 0 || (minor == 1 && Integer.parseInt(known.group(2)) < OLDEST_NETTY)) {
                return tooOld("Netty", netty, "4.1." + OLDEST_NETTY);
            }
        }
        return null;
    }

    private static String tooOld(String library, @Nullable String version, String oldest) {
        return library + " " + (version == null ? "(version unknown)" : version)
                + " is too old for Holdfast: the oldest that works is " + oldest;
    }

    /** Sees to it that Lettuce does not ask servers for notifications of maintenance, which no driver needs. */
    static void withoutMaintenanceNotifications(ClientOptions.Builder options) {
        if (Present.MAINTENANCE_NOTIFICATIONS) {
            MaintenanceNotifications.turnOff(options);
        }
    }
}
