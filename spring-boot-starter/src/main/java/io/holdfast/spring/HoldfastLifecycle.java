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
    private final int phase;
    private final ListableBeanFactory beans;
    private final ConfigurableApplicationContext context;
    private volatile boolean running;

    HoldfastLifecycle(int phase, ListableBeanFactory beans, ConfigurableApplicationContext context) {
        this.phase = phase;
        this.beans = beans;
        this.context = context;
    }

    @Override
    public void start() {
        running = true;
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
