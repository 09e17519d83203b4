package io.holdfast.contracts.servers;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.contracts.servers.TestAuthority.Issued;
import io.holdfast.spi.ConnectOptions;
import io.holdfast.spi.RedisAddress;
import io.holdfast.spi.Tls;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPairGenerator;
import java.security.NoSuchAlgorithmException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files with certificates and keys that are no good are refused by their names before anything is connected. */
final class CertificateFilesTest {
    private static final RedisAddress SERVER = RedisAddress.parse("rediss://server");

    private static TestAuthority authority;
    private static Issued client;

    @TempDir
    private Path folder;

    @BeforeAll
    static void issue(@TempDir Path shared) {
        authority = TestAuthority.create(shared, "Our Authority");
        client = authority.issue("client", "dns:client.example");
    }

    private static void check(Tls tls) {
        ConnectOptions.defaults().withTls(tls).check(SERVER);
    }

    private static void assertRefused(Tls tls, Path file, String... words) {
        IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> check(tls));
        String message = String.valueOf(e.getMessage());
        assertTrue(message.contains(file.toString()), message);
        for (String word : words) {
            assertTrue(message.contains(word), message);
        }
    }

    private Path write(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text);
    }

    private static Tls trusting(Path file) {
        return Tls.defaults().withAuthorities(file);
    }

    private static Tls showing(Path certificate, Path key) {
        return Tls.defaults().withCertificate(certificate, key);
    }

    @Test
    void check_goodFiles_areTaken() throws IOException {
        check(trusting(authority.certificate()).withCertificate(client.certificate(), client.key()));
        // As openssl writes them: with words around, several in a file, and other line ends.
        String text = "Certificate:\n    Version: 3 (0x2)\n-- x --\n" + Files.readString(authority.certificate())
                + "\nsubject=CN = x\n" + Files.readString(client.certificate());
        check(trusting(write("bundle.pem", text.replace("\n", "\r\n"))));
        Path both = write("both.pem", Files.readString(client.key()) + Files.readString(client.certificate()));
        check(showing(both, both));
    }

    @Test
    void check_keysOfOtherKinds_areRead() throws IOException, NoSuchAlgorithmException {
        for (String kind : new String[] {"RSA", "Ed25519", "EC"}) {
            byte[] key = KeyPairGenerator.getInstance(kind)
                    .generateKeyPair()
                    .getPrivate()
                    .getEncoded();
            Path file = write(kind + ".key", TestAuthority.pem("PRIVATE KEY", key));
            assertRefused(
                    showing(client.certificate(), file),
                    file,
                    "does not belong",
                    client.certificate().toString());
        }
    }

    @Test
    void check_fileIsMissing_isNamed() {
        Path missing = folder.resolve("missing.pem");
        assertRefused(trusting(missing), missing, "does not exist");
        assertRefused(showing(missing, client.key()), missing, "does not exist");
        assertRefused(showing(client.certificate(), missing), missing, "does not exist");
        assertRefused(trusting(folder), folder, "cannot be read");
    }

    @Test
    void check_noPem_isSaid() throws IOException {
        Path empty = write("empty.pem", "");
        Path binary = Files.write(folder.resolve("binary.der"), new byte[] {0x30, (byte) 0x82, 1, 2});
        assertRefused(trusting(empty), empty, "no certificate in PEM form");
        assertRefused(trusting(binary), binary, "no certificate in PEM form");
        assertRefused(trusting(client.key()), client.key(), "no certificate in PEM form");
        assertRefused(showing(client.certificate(), client.certificate()), client.certificate(), "no private key");
    }

    @Test
    void check_damaged_isSaidAndNothingOfAKeyIsRepeated() throws IOException {
        Path certificate = write("damaged.crt", TestAuthority.pem("CERTIFICATE", new byte[] {1, 2, 3}));
        assertRefused(trusting(certificate), certificate, "cannot be read");
        Path odd = write("odd.crt", "-----BEGIN CERTIFICATE-----\nA\n-----END CERTIFICATE-----\n");
        assertRefused(trusting(odd), odd, "cannot be read");
        Path key = write("damaged.key", "-----BEGIN PRIVATE KEY-----\nhush\n-----END PRIVATE KEY-----\n");
        assertRefused(showing(client.certificate(), key), key, "cannot be read");
        IllegalArgumentException e =
                assertThrows(IllegalArgumentException.class, () -> check(showing(client.certificate(), key)));
        assertFalse(e.toString().contains("hush"), e.toString());
    }

    @Test
    void check_keyInAFormThatIsNotSupported_saysHowToConvertIt() throws IOException {
        Path encrypted = write("encrypted.key", TestAuthority.pem("ENCRYPTED PRIVATE KEY", new byte[] {1}));
        assertRefused(showing(client.certificate(), encrypted), encrypted, "encrypted", "SSLContext");
        for (String old : new String[] {"RSA PRIVATE KEY", "EC PRIVATE KEY"}) {
            Path file = write("old.key", TestAuthority.pem(old, new byte[] {1}));
            assertRefused(showing(client.certificate(), file), file, old, "openssl pkcs8 -topk8");
        }
    }

    @Test
    void check_plainAddress_isRefusedBeforeFilesAreRead() {
        IllegalArgumentException e = assertThrows(
                IllegalArgumentException.class,
                () -> ConnectOptions.defaults()
                        .withTls(trusting(folder.resolve("missing.pem")))
                        .check(RedisAddress.parse("redis://server")));
        assertTrue(String.valueOf(e.getMessage()).contains("rediss"), e.toString());
    }
}
