package io.holdfast.dashboard;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Who may see the page: tokens that work once, and the sessions that they, or a password, have begun. Thread-safe. */
final class Sessions {
    private static final Duration LIFE = Duration.ofHours(12);
    private static final int MOST = 1_000;
    private static final int TOKENS = 10;
    /** After a wrong password, for all: one guess a second gets nowhere, and whoever mistypes does not notice. */
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final String cookie;
    private final boolean secure;
    private final Map<String, Long> begun = bounded(MOST); // session -> when; guarded by this, as all below
    private final Map<String, Long> tokens = bounded(TOKENS);
    private long lastTry = System.nanoTime() - PAUSE.toNanos();

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

    /** Whether a password may be tried now. */
    synchronized boolean mayTry() {
        if (System.nanoTime() - lastTry < PAUSE.toNanos()) {
            return false;
        }
        lastTry = System.nanoTime();
        return true;
    }
}
