package io.holdfast.dashboard;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Who may see the page: tokens that work once, and the sessions that they, or a password, have begun. Thread-safe. */
final class Sessions {
    private static final Duration LIFE = Duration.ofHours(12);
    private static final int MOST = 1_000;
    private static final int TOKENS = 10;
    /** From one address: one guess a second gets nowhere, and a person that mistypes does not notice. */
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private static final int ADDRESSES = 10_000;

    private final String cookie;
    private final boolean secure;
    private final Map<String, Long> begun = bounded(MOST); // session -> when; guarded by this, as all below
    private final Map<String, Long> tokens = bounded(TOKENS);
    private final Map<String, Long> tries = bounded(ADDRESSES); // network -> when

    /**
     * @param port two dashboards on one machine share their cookies otherwise
     * @param secure whether the browser speaks HTTPS
     */
    Sessions(int port, boolean secure) {
        this.cookie = "holdfast-dashboard-" + port;
        this.secure = secure;
    }

    private static Map<String, Long> bounded(int most) {
        return new LinkedHashMap<>() {
            private static final long serialVersionUID = 1;

            @Override
            protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
                return size() > most;
            }
        };
    }

    synchronized String newToken() {
        String token = Dashboard.random();
        tokens.put(token, System.nanoTime());
        return token;
    }

    /** Whether it was one; it is none any more. */
    synchronized boolean use(String token) {
        return tokens.remove(token) != null;
    }

    /**
     * The cookie of a new session. Browsers send it also to whoever comes by a link, which is how most come; what acts asks for more than
     * a cookie.
     */
    synchronized String begin() {
        String session = Dashboard.random();
        begun.put(session, System.nanoTime());
        return cookie + "=" + session + "; Path=/; HttpOnly; SameSite=Lax" + (secure ? "; Secure" : "");
    }

    synchronized boolean isKnown(@Nullable String cookies) {
        if (cookies == null) {
            return false;
        }
        for (String each : cookies.split(";", -1)) {
            String text = each.strip();
            if (text.startsWith(cookie + "=")) {
                String session = text.substring(cookie.length() + 1);
                Long since = begun.get(session);
                if (since != null && System.nanoTime() - since < LIFE.toNanos()) {
                    return true;
                }
                begun.remove(session);
            }
        }
        return false;
    }

    /**
     * Whether a password may be tried now. Guesses from other addresses do not count.
     *
     * @param address from which it is tried, as a number
     */
    synchronized boolean mayTry(String address) {
        String network = network(address);
        long now = System.nanoTime();
        Long last = tries.get(network);
        if (last != null && now - last < PAUSE.toNanos()) {
            return false;
        }
        tries.remove(network); // else it would stay where it was, among the eldest
        tries.put(network, now);
        return true;
    }

    /** An IPv4 address is its own; of an IPv6 address the first 64 bits, since one machine has all the others. */
    static String network(String address) {
        if (address.indexOf(':') < 0) {
            return address;
        }
        int gap = address.indexOf("::");
        List<String> groups = new ArrayList<>(List.of((gap < 0 ? address : address.substring(0, gap)).split(":", -1)));
        while (groups.size() < 4) {
            groups.add("0");
        }
        return String.join(":", groups.subList(0, 4));
    }
}
