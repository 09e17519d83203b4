package io.holdfast.redisson;

import io.holdfast.spi.Credentials;
import java.net.InetSocketAddress;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.redisson.client.DefaultCredentialsResolver;
import org.redisson.config.BaseConfig;
import org.redisson.config.Config;
import org.redisson.config.CredentialsResolver;
import org.redisson.misc.RedisURI;

/** As whom Redisson connects, asked before each connection: the address says it, or else the resolver, or else the configuration. */
final class Login implements Supplier<Credentials> {
    private final RedisURI address;
    private final CredentialsResolver resolver;
    private final @Nullable String user;
    private final @Nullable String password;
    private final long limitMillis;

    private Login(
            RedisURI address,
            CredentialsResolver resolver,
            @Nullable String user,
            @Nullable String password,
            long limitMillis) {
        this.address = address;
        this.resolver = resolver;
        this.user = user;
        this.password = password;
        this.limitMillis = limitMillis;
    }

    /** Null if nothing has a password. */
    @SuppressWarnings("deprecation") // where configurations of older versions have it, and Redisson reads it still
    static @Nullable Supplier<Credentials> of(Config config, BaseConfig<?> mode, RedisURI address) {
        CredentialsResolver resolver =
                isNone(mode.getCredentialsResolver()) ? config.getCredentialsResolver() : mode.getCredentialsResolver();
        String user = first(address.getUsername(), first(mode.getUsername(), config.getUsername()));
        String password = first(address.getPassword(), first(mode.getPassword(), config.getPassword()));
        return isNone(resolver)
                ? of(user, password)
                : new Login(address, resolver, user, password, mode.getConnectTimeout());
    }

    /** Null without a password. */
    static @Nullable Supplier<Credentials> of(@Nullable String user, @Nullable String password) {
        if (password == null) {
            return null;
        }
        Credentials fixed = new Credentials(user == null || user.isEmpty() ? null : user, password);
        return () -> fixed;
    }

    private static boolean isNone(@Nullable CredentialsResolver resolver) {
        return resolver == null || resolver instanceof DefaultCredentialsResolver;
    }

    private static @Nullable String first(@Nullable String one, @Nullable String other) {
        return one == null ? other : one;
    }

    @Override
    public Credentials get() {
        org.redisson.config.Credentials resolved = resolve();
        String name = first(address.getUsername(), first(resolved.getUsername(), user));
        String secret = first(address.getPassword(), first(resolved.getPassword(), password));
        if (secret == null) {
            throw new IllegalStateException("the credentialsResolver of Redisson has no password");
        }
        return new Credentials(name == null || name.isEmpty() ? null : name, secret);
    }

    private org.redisson.config.Credentials resolve() {
        InetSocketAddress where = InetSocketAddress.createUnresolved(address.getHost(), address.getPort());
        try {
            return resolver.resolve(where).toCompletableFuture().get(limitMillis, TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException reason) {
                throw reason;
            }
            throw new IllegalStateException(e.getCause());
        } catch (TimeoutException e) {
            throw new IllegalStateException("no credentials within " + limitMillis + " ms", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }
}
