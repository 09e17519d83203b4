package io.holdfast.spring;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastListener;
import io.holdfast.LockEvent;
import io.holdfast.micrometer.HoldfastMetrics;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.beans.factory.ObjectProvider;

/**
 * The metrics of the application's clients, in each of its registries. The client hears of it as a listener before there is a
 * registry: what happens until then is not counted.
 */
final class HoldfastMeters implements MeterBinder, HoldfastListener {
    private final HoldfastProperties.LockTag tag;
    private final ObjectProvider<Holdfast> clients;
    private final List<HoldfastMetrics> registries = new CopyOnWriteArrayList<>();

    HoldfastMeters(HoldfastProperties.LockTag tag, ObjectProvider<Holdfast> clients) {
        this.tag = tag;
        this.clients = clients;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        HoldfastMetrics metrics = new HoldfastMetrics(registry, this::tagOf);
        clients.forEach(metrics::bindTo);
        registries.add(metrics);
    }

    private String tagOf(String name) {
        if (tag == HoldfastProperties.LockTag.ALL) {
            return "all";
        }
        for (int i = 0; i < name.length(); i++) {
            if (name.charAt(i) == '/' || name.charAt(i) == ':') {
                return i == 0 ? "other" : name.substring(0, i);
            }
        }
        return name;
    }

    @Override
    public void on(LockEvent event) {
        registries.forEach(metrics -> metrics.on(event));
    }
}
