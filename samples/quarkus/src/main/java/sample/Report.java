package sample;

import jakarta.enterprise.context.ApplicationScoped;
import java.util.concurrent.atomic.AtomicInteger;

/** Work that only one process may do at a time. */
@ApplicationScoped
class Report {
    private final AtomicInteger made = new AtomicInteger();

    @Locked("samples/report")
    int make(Runnable meanwhile) {
        meanwhile.run();
        return made.incrementAndGet();
    }
}
