package io.holdfast.contracts.servers;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/**
 * A certificate authority of a test's own, which signs certificates with the JDK's keytool. Files are in PEM form. Making one,
 * and each certificate, takes about a second. For use by one thread.
 */
public final class TestAuthority {
    private static final String PASSWORD = "changeit";
    private static final String SELF = "authority";

    /**
     * A certificate and its key, in files.
     *
     * @param certificate the certificate
     * @param key its private key, PKCS#8 and not encrypted
     */
    public record Issued(Path certificate, Path key) {}

    private final Path folder;
    private final Path store;

    private TestAuthority(Path folder) {
        this.folder = folder;
        this.store = folder.resolve("store.p12");
    }

    /**
     * An authority.
     *
     * @param folder where it keeps its files; without those of another
     * @param name whom its certificate names
     */
    public static TestAuthority create(Path folder, String name) {
        TestAuthority made = new TestAuthority(folder);
        made.keytool(SELF, "-dname", "CN=" + name, "-ext", "bc:c");
        made.pem(SELF);
        return made;
    }

    /** Its own certificate. */
    public Path certificate() {
        return folder.resolve(SELF + ".crt");
    }

    /**
     * Makes a key, and signs a certificate for it.
     *
     * @param alias the name of the files
     * @param names whom it is for, for example {@code dns:localhost,ip:127.0.0.1}
     * @param more further words for keytool
     */
    public Issued issue(String alias, String names, String... more) {
        List<String> words = new ArrayList<>(List.of("-signer", SELF, "-dname", "CN=" + alias, "-ext", "san=" + names));
        words.addAll(List.of(more));
        keytool(alias, words.toArray(String[]::new));
        return pem(alias);
    }

    /**
     * Arguments that make a {@link RedisServer} listen with TLS as well.
     *
     * @param port where
     * @param clientsShowThemselves whether clients have to have a certificate of this authority
     */
    public String[] serverArgs(int port, Issued server, boolean clientsShowThemselves) {
        return new String[] {
            "--tls-port",
            Integer.toString(port),
            "--tls-cert-file",
            server.certificate().toString(),
            "--tls-key-file",
            server.key().toString(),
            "--tls-ca-cert-file",
            certificate().toString(),
            "--tls-auth-clients",
            clientsShowThemselves ? "yes" : "no"
        };
    }

    private void keytool(String alias, String... words) {
        List<String> line = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-J-XX:TieredStopAtLevel=1",
                "-genkeypair",
                "-alias",
                alias,
                "-keyalg",
                "EC",
                "-groupname",
                "secp256r1",
                "-storetype",
                "PKCS12",
                "-keystore",
                store.toString(),
                "-storepass",
                PASSWORD));
        line.addAll(List.of(words));
        try {
            Process keytool = new ProcessBuilder(line).redirectErrorStream(true).start();
            String output = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (keytool.waitFor() != 0) {
                throw new IllegalStateException("keytool failed: " + output);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private Issued pem(String alias) {
        Issued issued = new Issued(folder.resolve(alias + ".crt"), folder.resolve(alias + ".key"));
        try (InputStream in = Files.newInputStream(store)) {
            KeyStore keys = KeyStore.getInstance("PKCS12");
            keys.load(in, PASSWORD.toCharArray());
            Certificate[] chain = keys.getCertificateChain(alias);
            Files.writeString(issued.certificate(), pem("CERTIFICATE", chain[0].getEncoded()));
            Files.writeString(
                    issued.key(),
                    pem(
                            "PRIVATE KEY",
                            keys.getKey(alias, PASSWORD.toCharArray()).getEncoded()));
            return issued;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    static String pem(String type, byte[] der) {
        return "-----BEGIN " + type + "-----\n"
                + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der) + "\n-----END " + type + "-----\n";
    }
}
