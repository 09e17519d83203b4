package io.holdfast.spi;

import java.io.IOException;
import java.net.Socket;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/**
 * The encryption of connections to {@code rediss} addresses: which server certificates are trusted, and which certificate the
 * client presents. Immutable; every {@code with} method returns a copy.
 *
 * <p>A server's certificate must be signed by a trusted authority, must be in force, and must name the host of the address.
 * No option turns off any of these checks; a context of the application ({@link #over(SSLContext)}) decides which certificates
 * it trusts. If a certificate has a name other than that host, {@link #withServerName} sets the expected name.
 *
 * <p>Files are read again for each connection that is opened, so a renewed certificate is used from the next connection on.
 */
public final class Tls {
    private static final Tls DEFAULTS = new Tls(null, null, null, null, null);
    /** A password, which a store in memory requires; it protects nothing. */
    private static final char[] IN_MEMORY = "memory".toCharArray();

    private final @Nullable Supplier<SSLContext> supplied;
    private final @Nullable Path authorities;
    private final @Nullable Path certificate;
    private final @Nullable Path key;
    private final @Nullable String serverName;

    private Tls(
            @Nullable Supplier<SSLContext> supplied,
            @Nullable Path authorities,
            @Nullable Path certificate,
            @Nullable Path key,
            @Nullable String serverName) {
        this.supplied = supplied;
        this.authorities = authorities;
        this.certificate = certificate;
        this.key = key;
        this.serverName = serverName;
    }

    /**
     * Returns the default: trusts the authorities that the JVM trusts ({@code javax.net.ssl.trustStore}, or else the JDK's), and
     * presents no certificate.
     */
    public static Tls defaults() {
        return DEFAULTS;
    }

    /**
     * Returns encryption that uses a context of the application, which decides which certificates to trust and to present. Use
     * this for keys in a store or with a password, and for everything else that files in PEM form cannot express. Host names are
     * checked with this, too.
     */
    public static Tls over(SSLContext context) {
        return over(() -> context);
    }

    /**
     * Returns encryption that uses contexts from a supplier, as {@link #over(SSLContext)}. The supplier is called for each
     * connection that is opened, and may block.
     */
    public static Tls over(Supplier<SSLContext> contexts) {
        return new Tls(contexts, null, null, null, null);
    }

    /**
     * Returns a copy that trusts the given authorities, and no others.
     *
     * @param certificates a file in PEM form with one or more certificates
     * @throws IllegalStateException if this is over a context of the application
     */
    public Tls withAuthorities(Path certificates) {
        refuseOverContext();
        return new Tls(null, certificates, certificate, key, serverName);
    }

    /**
     * Returns a copy that presents a certificate to servers that ask for one.
     *
     * @param certificate a file in PEM form with the client's certificate first, optionally followed by those between it and the
     *     authority
     * @param key a file in PEM form with its private key: RSA, EC or EdDSA, PKCS#8 ({@code BEGIN PRIVATE KEY}), not encrypted
     * @throws IllegalStateException if this is over a context of the application
     */
    public Tls withCertificate(Path certificate, Path key) {
        refuseOverContext();
        return new Tls(null, authorities, certificate, key, serverName);
    }

    /**
     * Returns a copy that expects this name in the server's certificate instead of the host of the address, and sends it to the
     * server (SNI). Use it for connections by IP address, or through a tunnel. On a cluster, and with Sentinels, every server's
     * certificate must have this name.
     *
     * @param name a host name, or an address
     */
    public Tls withServerName(String name) {
        if (name.isEmpty() || name.chars().anyMatch(c -> c <= ' ' || c == '/')) {
            throw new IllegalArgumentException("serverName is '" + name + "', must be the name of a host");
        }
        return new Tls(supplied, authorities, certificate, key, name);
    }

    private void refuseOverContext() {
        if (supplied != null) {
            throw new IllegalStateException("the SSLContext decides about that");
        }
    }

    /** Reads the files, if there are any; does not call the supplier of contexts. */
    void check() {
        if (authorities != null || certificate != null) {
            context();
        }
    }

    /**
     * Returns a TLS socket over a connected socket, which is closed together with it. The caller must still make the
     * handshake. For drivers.
     *
     * @throws IOException if the socket cannot be used
     * @throws DriverException {@code UNKNOWN} if a file cannot be used
     */
    public SSLSocket socket(Socket connected, RedisAddress address) throws IOException {
        SSLSocket socket = (SSLSocket)
                contextFor(address).getSocketFactory().createSocket(connected, expected(address), address.port(), true);
        socket.setSSLParameters(checkingNames(socket.getSSLParameters()));
        return socket;
    }

    /**
     * Returns a supplier of client-side engines for connections to an address, one for each connection. This call reads the
     * files; the supplier reads none. For drivers.
     *
     * @throws DriverException {@code UNKNOWN} if a file cannot be used
     */
    public Supplier<SSLEngine> engines(RedisAddress address) {
        SSLContext context = contextFor(address);
        return () -> {
            SSLEngine engine = context.createSSLEngine(expected(address), address.port());
            engine.setUseClientMode(true);
            engine.setSSLParameters(checkingNames(engine.getSSLParameters()));
            return engine;
        };
    }

    /**
     * Returns an explanation and a remedy for a connection that could not be opened because of certificates; null if it failed
     * for another reason. For drivers.
     */
    public static @Nullable String explain(Throwable failure) {
        return CertificateWords.explain(failure);
    }

    /**
     * Returns an explanation for a server that closes the connection during the handshake or right after it. A server that
     * rejects the client's certificate does this, and its reason is lost if the client was about to write. For drivers.
     */
    public static String explainHangUp() {
        return CertificateWords.HUNG_UP;
    }

    private String expected(RedisAddress address) {
        return serverName == null ? address.host() : serverName;
    }

    /** Makes the JDK check the host name of a certificate; by default it only checks the signatures. */
    private static SSLParameters checkingNames(SSLParameters parameters) {
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        return parameters;
    }

    private SSLContext contextFor(RedisAddress address) {
        try {
            return context();
        } catch (DriverException e) {
            throw e;
        } catch (RuntimeException e) {
            String reason = e instanceof IllegalArgumentException ? String.valueOf(e.getMessage()) : e.toString();
            throw DriverException.unknown("no connection to " + address.hostAndPort() + ": " + reason, e);
        }
    }

    /**
     * Returns the resulting context, for code that is not a driver, for example a server of the application that presents the
     * same certificate.
     *
     * @throws IllegalArgumentException if a file cannot be read; the message names the file and the reason
     */
    public SSLContext context() {
        if (supplied != null) {
            SSLContext given = supplied.get();
            if (given == null) {
                throw new IllegalArgumentException("the supplier of SSLContexts answered null");
            }
            return given;
        }
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(shown(), trusted(), null);
            return context;
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalArgumentException("TLS is not available: " + e.getMessage(), e);
        }
    }

    private KeyManager @Nullable [] shown() throws GeneralSecurityException, IOException {
        if (certificate == null || key == null) {
            return null;
        }
        List<X509Certificate> chain = Pem.certificates(certificate);
        PrivateKey secret = Pem.key(key);
        if (!Pem.belong(secret, chain.get(0))) {
            throw new IllegalArgumentException(
                    "the key in " + key + " does not belong to the first certificate in " + certificate);
        }
        KeyStore store = empty();
        store.setKeyEntry("client", secret, IN_MEMORY, chain.toArray(Certificate[]::new));
        KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(store, IN_MEMORY);
        return factory.getKeyManagers();
    }

    private TrustManager[] trusted() throws GeneralSecurityException, IOException {
        KeyStore store = null; // stands for the JVM's
        if (authorities != null) {
            store = empty();
            for (X509Certificate each : Pem.certificates(authorities)) {
                store.setCertificateEntry("authority-" + store.size(), each);
            }
        }
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(store);
        TrustManager[] managers = factory.getTrustManagers();
        for (int i = 0; i < managers.length; i++) {
            if (managers[i] instanceof X509ExtendedTrustManager judge) {
                managers[i] = new ExplainingTrustManager(
                        judge, authorities == null ? "that this JVM trusts" : "in " + authorities);
            }
        }
        return managers;
    }

    private static KeyStore empty() throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        return store;
    }

    private List<@Nullable Object> all() {
        return Arrays.asList(supplied, authorities, certificate, key, serverName);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Tls that && all().equals(that.all());
    }

    @Override
    public int hashCode() {
        return all().hashCode();
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("Tls[");
        if (supplied != null) {
            text.append("over an SSLContext");
        } else {
            text.append("authorities ").append(authorities == null ? "of the JVM" : authorities.toString());
        }
        if (certificate != null) {
            text.append(", certificate ").append(certificate);
        }
        if (serverName != null) {
            text.append(", server name ").append(serverName);
        }
        return text.append(']').toString();
    }
}
