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
 * How connections are encrypted: which certificates of servers are good, and which of its own a client shows. For
 * {@code rediss} addresses. Immutable; every {@code with} returns a copy.
 *
 * <p>A server's certificate has to be signed by an authority that is trusted, has to be in force, and has to name the host
 * that was connected to. None of that can be turned off; where a certificate has another name than the host that is connected
 * to, {@link #withServerName} says which to expect.
 *
 * <p>Files are read again for each connection that is opened, so a renewed certificate is used from the next connection on.
 */
public final class Tls {
    private static final Tls DEFAULTS = new Tls(null, null, null, null, null);
    /** A store in memory wants one; it protects nothing. */
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

    /** Trusts what the JVM trusts ({@code javax.net.ssl.trustStore}, or else the JDK's authorities); shows no certificate. */
    public static Tls defaults() {
        return DEFAULTS;
    }

    /**
     * Over a context of the application, which decides whom to trust and what to show: for keys in a store or behind a
     * password, and everything else that files in PEM form cannot express. Names of hosts are checked with this, too.
     */
    public static Tls over(SSLContext context) {
        return over(() -> context);
    }

    /** Over contexts from a supplier, which is asked for each connection that is opened. It may block. */
    public static Tls over(Supplier<SSLContext> contexts) {
        return new Tls(contexts, null, null, null, null);
    }

    /**
     * Trusts these authorities, and no other.
     *
     * @param certificates a file in PEM form with one or more certificates
     * @throws IllegalStateException if this is over a context of the application
     */
    public Tls withAuthorities(Path certificates) {
        refuseOverContext();
        return new Tls(null, certificates, certificate, key, serverName);
    }

    /**
     * Shows a certificate to servers that ask for one.
     *
     * @param certificate a file in PEM form with the client's certificate first, and perhaps those between it and the
     *     authority
     * @param key a file in PEM form with its private key: RSA, EC or EdDSA, PKCS#8 ({@code BEGIN PRIVATE KEY}), not encrypted
     * @throws IllegalStateException if this is over a context of the application
     */
    public Tls withCertificate(Path certificate, Path key) {
        refuseOverContext();
        return new Tls(null, authorities, certificate, key, serverName);
    }

    /**
     * Expects this name in the server's certificate in place of the host of the address, and asks the server for it (SNI):
     * for servers that are connected to by an address, or through a tunnel. On a cluster, and with Sentinels, every server's
     * certificate has to have it.
     *
     * @param name a host's name, or an address
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

    /** Reads the files, if there are any; a supplied context is not asked for. */
    void check() {
        if (authorities != null || certificate != null) {
            context();
        }
    }

    /**
     * A socket for one connection, over one that is connected, which it closes when it is closed. The handshake is still to
     * be made. For drivers.
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
     * Makes engines for connections to an address, on the client's side, one for each. This call reads the files;
     * the engines read none. For drivers.
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
     * What there is to say about a connection that could not be opened because of certificates, and what to do; null if it
     * failed for another reason. For drivers.
     */
    public static @Nullable String explain(Throwable failure) {
        return CertificateWords.explain(failure);
    }

    /**
     * What there is to say about a server that hangs up during the handshake or right after it: so does
     * one that does not like the client's certificate, and its reason is lost if the client was about to write. For drivers.
     */
    public static String explainHangUp() {
        return CertificateWords.HUNG_UP;
    }

    private String expected(RedisAddress address) {
        return serverName == null ? address.host() : serverName;
    }

    /** Without this the JDK checks who has signed a certificate, but not for whom. */
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
     * Its result, for code that is no driver: a server of the application's own that shows the same certificate, for one.
     *
     * @throws IllegalArgumentException if a file cannot be read, saying which and why
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
