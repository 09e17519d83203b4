package io.holdfast.spi;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/** Reads certificates and keys from files in PEM form. Messages name the file that is wrong, and never repeat any of a key. */
final class Pem {
    private static final String BEGIN = "-----BEGIN ";
    private static final String END = "-----END ";
    private static final String DASHES = "-----";
    private static final String CERTIFICATE = "CERTIFICATE";
    private static final String KEY = "PRIVATE KEY";
    /** The kinds of keys that certificates of servers have. */
    private static final List<String> ALGORITHMS = List.of("RSA", "EC", "EdDSA");

    private record Block(String type, String text) {}

    private Pem() {}

    /** Returns all certificates of a file, at least one. */
    static List<X509Certificate> certificates(Path file) {
        List<X509Certificate> found = new ArrayList<>();
        for (Block block : blocks(file)) {
            if (block.type().equals(CERTIFICATE)) {
                found.add(certificate(file, block));
            }
        }
        if (found.isEmpty()) {
            throw new IllegalArgumentException(
                    file + " has no certificate in PEM form (" + BEGIN + CERTIFICATE + DASHES + ")");
        }
        return found;
    }

    private static X509Certificate certificate(Path file, Block block) {
        try {
            return (X509Certificate)
                    CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(bytes(block)));
        } catch (CertificateException | IllegalArgumentException e) {
            throw new IllegalArgumentException(file + " has a certificate that cannot be read", e);
        }
    }

    /** Returns the private key of a file, which must be PKCS#8 and not encrypted. */
    static PrivateKey key(Path file) {
        for (Block block : blocks(file)) {
            String type = block.type();
            if (type.equals(KEY)) {
                return key(file, block);
            }
            if (type.equals("ENCRYPTED " + KEY)) {
                throw new IllegalArgumentException(file + " has an encrypted key, which cannot be read here: decrypt it"
                        + " (openssl pkcs8 -in FILE -out NEW), or give an SSLContext that has it");
            }
            if (type.endsWith(" " + KEY)) {
                throw new IllegalArgumentException(file + " has a key in an older form (" + BEGIN + type + DASHES
                        + "), which cannot be read here: openssl pkcs8 -topk8 -nocrypt -in FILE -out NEW");
            }
        }
        throw new IllegalArgumentException(file + " has no private key in PEM form (" + BEGIN + KEY + DASHES + ")");
    }

    private static PrivateKey key(Path file, Block block) {
        PKCS8EncodedKeySpec spec;
        try {
            spec = new PKCS8EncodedKeySpec(bytes(block));
        } catch (IllegalArgumentException e) {
            throw unreadable(file);
        }
        for (String algorithm : ALGORITHMS) {
            try {
                return KeyFactory.getInstance(algorithm).generatePrivate(spec);
            } catch (InvalidKeySpecException e) {
                // Of another kind, or no key at all.
            } catch (GeneralSecurityException e) {
                throw new IllegalStateException("every Java platform has " + algorithm, e);
            }
        }
        throw unreadable(file);
    }

    /** Without a cause, whose message might repeat some of the key. */
    private static IllegalArgumentException unreadable(Path file) {
        return new IllegalArgumentException(file + " has a private key that cannot be read: it is damaged, or none of "
                + String.join(", ", ALGORITHMS));
    }

    /** Returns whether a key belongs to a certificate: a signature by the key must verify with the certificate. */
    static boolean belong(PrivateKey key, X509Certificate certificate) {
        PublicKey open = certificate.getPublicKey();
        String algorithm = switch (key.getAlgorithm()) {
            case "RSA" -> "SHA256withRSA";
            case "EC" -> "SHA256withECDSA";
            default -> "EdDSA";
        };
        byte[] text = {1, 2, 3};
        try {
            Signature signature = Signature.getInstance(algorithm);
            signature.initSign(key);
            signature.update(text);
            byte[] signed = signature.sign();
            signature.initVerify(open);
            signature.update(text);
            return signature.verify(signed);
        } catch (GeneralSecurityException e) {
            return false; // of different kinds
        }
    }

    private static List<Block> blocks(Path file) {
        String text;
        try {
            text = Files.readString(file, StandardCharsets.ISO_8859_1);
        } catch (NoSuchFileException e) {
            throw new IllegalArgumentException(file + " does not exist", e);
        } catch (AccessDeniedException e) {
            throw new IllegalArgumentException(file + " may not be read by this user", e);
        } catch (IOException e) {
            throw new IllegalArgumentException(file + " cannot be read: " + e.getMessage(), e);
        }
        List<Block> blocks = new ArrayList<>();
        for (int begin = text.indexOf(BEGIN); begin >= 0; begin = text.indexOf(BEGIN, begin + 1)) {
            int label = begin + BEGIN.length();
            int body = text.indexOf(DASHES, label);
            int end = text.indexOf(END, label);
            if (body > 0 && end > body) {
                blocks.add(new Block(text.substring(label, body), text.substring(body + DASHES.length(), end)));
            }
        }
        return blocks;
    }

    private static byte[] bytes(Block block) {
        return Base64.getMimeDecoder().decode(block.text());
    }
}
