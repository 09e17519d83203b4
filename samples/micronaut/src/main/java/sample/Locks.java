package sample;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.LockOptions;
import io.holdfast.Wait;
import io.holdfast.lettuce.LettuceDriver;
import io.lettuce.core.RedisClient;
import io.micronaut.context.annotation.Bean;
import io.micronaut.context.annotation.ConfigurationProperties;
import io.micronaut.context.annotation.Factory;
import io.micronaut.core.bind.annotation.Bindable;
import io.micronaut.runtime.ApplicationConfiguration;
import jakarta.inject.Singleton;
import java.time.Duration;

/** The client of locks, over the Redis client that Micronaut has made. */
@Factory
class Locks {
    @ConfigurationProperties("holdfast")
    record Settings(
            @Bindable(defaultValue = "30s") Duration leaseDuration,
            @Bindable(defaultValue = "10s") Duration waitLimit) {}

    @Singleton
    @Bean(preDestroy = "close")
    Holdfast holdfast(RedisClient redis, ApplicationConfiguration application, Settings settings) {
        LockOptions lock = LockOptions.defaults()
                .withLeaseDuration(settings.leaseDuration())
                .withWaitLimit(Wait.upTo(settings.waitLimit()));
        HoldfastOptions options = HoldfastOptions.defaults()
                .withApplication(application.getName().orElse("application"))
                .withLockDefaults(lock);
        return Holdfast.over(LettuceDriver.over(redis), options);
    }
}
