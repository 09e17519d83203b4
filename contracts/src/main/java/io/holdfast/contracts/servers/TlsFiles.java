package io.holdfast.contracts.servers;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.Map;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** A self-signed certificate made for one test: as PEM files for the server, as a trust store for the client. */
public final class TlsFiles {
    private static final String PASSWORD = "changeit";

    private final Path store;
    private final Path certificate;
    private final Path key;

    private TlsFiles(Path folder) {
        this.store = folder.resolve("server.p12");
        this.certificate = folder.resolve("server.crt");
        this.key = folder.resolve("server.key");
    }

    /**
     * Makes a certificate with the JDK's keytool.
     *
     * @param names whom it is for, for example {@code dns:localhost,ip:127.0.0.1}
     */
    public static TlsFiles create(Path folder, String names) {
        TlsFiles files = new TlsFiles(folder);
        try {
            Process keytool = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "keytool")
                                    .toString(),
                            "-genkeypair",
                            "-alias",
                            "server",
                            "-dname",
                            "CN=holdfast test",
                            "-keyalg",
                            "EC",
                            "-groupname",
                            "secp256r1",
                            "-ext",
                            "san=" + names,
                            "-storetype",
                            "PKCS12",
                            "-keystore",
                            files.store.toString(),
                            "-storepass",
                            PASSWORD)
                    .redirectErrorStream(true)
                    .start();
            String output = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (keytool.waitFor() != 0) {
                throw new IllegalStateException("keytool failed: " + output);
            }
            KeyStore keys = files.load();
            pem(files.certificate, "CERTIFICATE", keys.getCertificate("server").getEncoded());
            pem(
                    files.key,
                    "PRIVATE KEY",
                    keys.getKey("server", PASSWORD.toCharArray()).getEncoded());
            return files;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Arguments that make a server listen with TLS as well. */
    public String[] serverArgs(int port) {
        return new String[] {
            "--tls-port",
            Integer.toString(port),
            "--tls-cert-file",
            certificate.toString(),
            "--tls-key-file",
            key.toString(),
            "--tls-ca-cert-file",
            certificate.toString(),
            "--tls-auth-clients",
            "no"
        };
    }

    /**
     * Runs a test in a JVM whose trust store holds this certificate only, and puts things back.
     *
     * <p>Both ways by which a client asks for the JVM's trust store are covered: the default {@link SSLContext}, and the
     * system properties that a {@link TrustManagerFactory} looks at whenever it is initialised.
     */
    public void trusted(Runnable test) {
        Map<String, String> properties = Map.of(
                "javax.net.ssl.trustStore",
                store.toString(),
                "javax.net.ssl.trustStorePassword",
                PASSWORD,
                "javax.net.ssl.trustStoreType",
                "PKCS12");
        SSLContext before;
        SSLContext during;
        try {
            before = SSLContext.getDefault();
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(load());
            during = SSLContext.getInstance("TLS");
            during.init(null, trust.getTrustManagers(), null);
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException(e);
        }
        properties.forEach(System::setProperty);
        SSLContext.setDefault(during);
        try {
            test.run();
        } finally {
            SSLContext.setDefault(before);
            properties.keySet().forEach(System::clearProperty);
        }
    }

    /** The key pair's certificate is trusted as well as owned: the store serves as both. */
    private KeyStore load() throws GeneralSecurityException, IOException {
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, PASSWORD.toCharArray());
        }
        return keys;
    }

    private static void pem(Path file, String type, byte[] der) throws IOException {
        Files.writeString(
                file,
                "-----BEGIN " + type + "-----\n"
                        + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der) + "\n-----END " + type
                        + "-----\n");
    }
}
