package sample;

import io.holdfast.Holdfast;
import io.holdfast.vertx.VertxDriver;
import io.vertx.core.Vertx;
import io.vertx.redis.client.RedisOptions;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Disposes;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import java.util.Optional;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/** The client, for as long as the application runs. */
@ApplicationScoped
class Locks {
    @Produces
    @Singleton
    Holdfast holdfast(Vertx vertx, @ConfigProperty(name = "locks.url") Optional<String> url) {
        return url.map(endpoint -> VertxDriver.over(vertx, new RedisOptions().setConnectionString(endpoint)))
                .map(Holdfast::over)
                .orElseGet(Holdfast::embedded); // a server for the processes of this user
    }

    void close(@Disposes Holdfast holdfast) {
        holdfast.close(); // Quarkus closes Vert.x after the beans
    }
}
