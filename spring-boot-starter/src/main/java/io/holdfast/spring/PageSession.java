package io.holdfast.spring;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpSession;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.springframework.session.SessionRepository;

/**
 * The session in which a page of the dashboard was opened. Its stream ends when the session does, and the page asks for a new one then, as any
 * other request. Used by one thread.
 */
abstract class PageSession {
    /** Where Spring Session's filter has its repository in each request. Its own constant is not asked: it may not be there. */
    private static final String REPOSITORY = "org.springframework.session.SessionRepository";

    /** How often a repository is asked, which may be on another machine. */
    private static final long PAUSE_NANOS = 2_000_000_000L;

    private PageSession() {}

    /** That of a request, which is not asked again later. */
    static PageSession of(HttpServletRequest request) {
        HttpSession session = request.getSession(false);
        Object repository = request.getAttribute(REPOSITORY);
        return session == null
                ? new None()
                : repository == null ? new OfServer(session) : new OfRepository(repository, session.getId());
    }

    /** @throws IOException if it has ended, or if nothing can be found out about it */
    abstract void requireOpen() throws IOException;

    static IOException ended(@Nullable Exception cause) {
        return new IOException("the session is over", cause);
    }

    private static final class None extends PageSession {
        @Override
        void requireOpen() {}
    }

    /** The web server has one object for a session, which says that it has ended. */
    private static final class OfServer extends PageSession {
        private final HttpSession session;

        OfServer(HttpSession session) {
            this.session = session;
        }

        @Override
        void requireOpen() throws IOException {
            try {
                var unused = session.getCreationTime();
            } catch (IllegalStateException e) {
                throw ended(e);
            }
        }
    }

    /**
     * With Spring Session each request has an object of its own for the session, which does not hear of an end in another request. To find
     * it in the repository does not count as an access, and so does not prolong it.
     */
    private static final class OfRepository extends PageSession {
        private final Object repository;
        private final String id;
        private long asked = System.nanoTime(); // a session that this request has begun is saved when the answer begins

        OfRepository(Object repository, String id) {
            this.repository = repository;
            this.id = id;
        }

        @Override
        void requireOpen() throws IOException {
            long now = System.nanoTime();
            if (now - asked < PAUSE_NANOS || !(repository instanceof SessionRepository<?> sessions)) {
                return;
            }
            asked = now;
            try {
                if (sessions.findById(id) == null) {
                    throw ended(null);
                }
            } catch (RuntimeException e) {
                throw ended(e);
            }
        }
    }
}
