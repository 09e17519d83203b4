package io.holdfast.spring;

import io.holdfast.Holdfast;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.cache.Cache;
import org.springframework.cache.CacheManager;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Role;
import org.springframework.util.function.SingletonSupplier;

/** Puts {@link SingleFlightCache} around the caches of all managers, if that is wanted. */
@AutoConfiguration(after = HoldfastAutoConfiguration.class)
@ConditionalOnProperty(prefix = "holdfast", name = "enabled", matchIfMissing = true)
@ConditionalOnProperty(prefix = "holdfast.cache", name = "single-flight")
class SingleFlightAutoConfiguration {
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static BeanPostProcessor holdfastSingleFlight(ObjectProvider<Holdfast> clients) {
        Supplier<Holdfast> client = SingletonSupplier.of(clients::getObject);
        return new BeanPostProcessor() {
            @Override
            public Object postProcessAfterInitialization(Object bean, String name) {
                return bean instanceof CacheManager manager ? new Caches(manager, client) : bean;
            }
        };
    }

    private static final class Caches implements CacheManager {
        private final CacheManager manager;
        private final Supplier<Holdfast> client;
        private final Map<Cache, Cache> known = new ConcurrentHashMap<>();

        Caches(CacheManager manager, Supplier<Holdfast> client) {
            this.manager = manager;
            this.client = client;
        }

        @Override
        public @Nullable Cache getCache(String name) {
            Cache cache = manager.getCache(name);
            return cache == null ? null : known.computeIfAbsent(cache, own -> new SingleFlightCache(own, client));
        }

        @Override
        public Collection<String> getCacheNames() {
            return manager.getCacheNames();
        }

        @Override
        public String toString() {
            return "SingleFlight[" + manager + "]";
        }
    }
}
