package io.holdfast.redisson;

import io.holdfast.spi.DriverException;
import io.holdfast.spi.Tls;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.function.Supplier;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;
import org.redisson.config.BaseConfig;
import org.redisson.config.Config;
import org.redisson.config.SslVerificationMode;

/** How Redisson encrypts, as contexts of the JDK. Stores are read again for each connection. */
@SuppressWarnings("deprecation") // where configurations of older versions have it, and Redisson reads it still
final class Encryption implements Supplier<SSLContext> {
    private final @Nullable String type;
    private final @Nullable URL truststore;
    private final @Nullable String truststorePassword;
    private final @Nullable URL keystore;
    private final @Nullable String keystorePassword;
    private final @Nullable TrustManagerFactory trust;
    private final @Nullable KeyManagerFactory keys;

    private Encryption(Config config, BaseConfig<?> mode) {
        this.type = first(mode.getSslKeystoreType(), config.getSslKeystoreType());
        this.truststore = first(mode.getSslTruststore(), config.getSslTruststore());
        this.truststorePassword = first(mode.getSslTruststorePassword(), config.getSslTruststorePassword());
        this.keystore = first(mode.getSslKeystore(), config.getSslKeystore());
        this.keystorePassword = first(mode.getSslKeystorePassword(), config.getSslKeystorePassword());
        this.trust = first(mode.getSslTrustManagerFactory(), config.getSslTrustManagerFactory());
        this.keys = first(mode.getSslKeyManagerFactory(), config.getSslKeyManagerFactory());
    }

    /** @throws IllegalArgumentException if it cannot be done here as it is there */
    static Tls of(Config config, BaseConfig<?> mode) {
        refuse(
                config.getSslVerificationMode() != SslVerificationMode.STRICT
                        || mode.getSslVerificationMode() != SslVerificationMode.STRICT,
                "sslVerificationMode",
                "Holdfast verifies certificates and the names of hosts");
        refuse(
                config.getSslProtocols() != null || mode.getSslProtocols() != null,
                "sslProtocols",
                "Holdfast uses those of the JVM");
        refuse(
                config.getSslCiphers() != null || mode.getSslCiphers() != null,
                "sslCiphers",
                "Holdfast uses those of the JVM");
        Encryption found = new Encryption(config, mode);
        return found.isDefault() ? Tls.defaults() : Tls.over(found);
    }

    private static void refuse(boolean set, String setting, String instead) {
        if (set) {
            throw new IllegalArgumentException("the Redisson configuration has " + setting + ": " + instead);
        }
    }

    private static <T> @Nullable T first(@Nullable T own, @Nullable T general) {
        return own == null ? general : own;
    }

    private boolean isDefault() {
        return truststore == null && keystore == null && trust == null && keys == null;
    }

    @Override
    public SSLContext get() {
        try {
            TrustManagerFactory trusted = trusted();
            KeyManagerFactory shown = shown();
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(
                    shown == null ? null : shown.getKeyManagers(),
                    trusted == null ? null : trusted.getTrustManagers(),
                    null);
            return context;
        } catch (GeneralSecurityException | IOException e) {
            throw DriverException.unknown("the stores of Redisson's configuration cannot be used: " + e, e);
        }
    }

    private @Nullable TrustManagerFactory trusted() throws GeneralSecurityException, IOException {
        if (trust != null || truststore == null) {
            return trust;
        }
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(load(truststore, letters(truststorePassword)));
        return factory;
    }

    private @Nullable KeyManagerFactory shown() throws GeneralSecurityException, IOException {
        if (keys != null || keystore == null) {
            return keys;
        }
        char[] password = letters(keystorePassword);
        KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(load(keystore, password), password);
        return factory;
    }

    private KeyStore load(URL where, char @Nullable [] password) throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance(type == null ? KeyStore.getDefaultType() : type);
        try (InputStream in = where.openStream()) {
            store.load(in, password);
        }
        return store;
    }

    private static char @Nullable [] letters(@Nullable String password) {
        return password == null ? null : password.toCharArray();
    }
}
