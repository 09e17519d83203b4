package io.holdfast.spring;

import io.holdfast.Holdfast;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;

/**
 * Closes the clients of a context when it is closed, while the connection factory still runs: it is stopped before beans are
 * destroyed, and a client that is closed without a connection cannot release its locks.
 *
 * <p>A context that is stopped or paused, and not closed, keeps its clients: they work again when it has been started again.
 */
final class HoldfastLifecycle implements SmartLifecycle {
    private static final System.Logger LOG = System.getLogger("io.holdfast");

    private final int phase;
    private final ListableBeanFactory beans;
    private final ConfigurableApplicationContext context;
    private volatile boolean running;

    HoldfastLifecycle(int phase, ListableBeanFactory beans, ConfigurableApplicationContext context) {
        this.phase = phase;
        this.beans = beans;
        this.context = context;
    }

    /** The log says once where locks are kept, under which prefix, and for how many methods. */
    @Override
    public void start() {
        running = true;
        int count = beans.getBeansOfType(LockedMethods.class, false, false).values().stream()
                .mapToInt(LockedMethods::count)
                .sum();
        String methods = count == 1 ? "one method has an annotation" : count + " methods have annotations";
        beans.getBeansOfType(Holdfast.class, false, false)
                .values()
                .forEach(client ->
                        LOG.log(System.Logger.Level.INFO, () -> "locks are kept by " + client + "; " + methods));
    }

    @Override
    public void stop() {
        running = false;
        if (context.isClosed()) {
            // Those that nobody has asked for are not made for this.
            beans.getBeansOfType(Holdfast.class, false, false).values().forEach(Holdfast::close);
        }
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return phase;
    }
}
