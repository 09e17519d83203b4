package io.holdfast.spi;

import java.security.cert.CertPathBuilderException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** Explains what is wrong with certificates, and what to do. Texts of certificates come from untrusted sources. */
final class CertificateWords {
    private static final int MOST_NAMES = 10;
    private static final int LONGEST_TEXT = 200;
    /** The kinds of names in certificates that are host names: this one and the next. */
    private static final int DNS = 2;

    private static final int ADDRESS = 7;

    private static final String GIVE_AUTHORITY =
            "give its authority's certificate as a PEM file (Tls.withAuthorities, or --cacert)";
    private static final String GIVE_CERTIFICATE = "Tls.withCertificate, or --cert and --key";

    static final String HUNG_UP =
            "the server hung up during or right after the TLS handshake: perhaps it asks for a client's"
                    + " certificate that it trusts (" + GIVE_CERTIFICATE + ")";

    /** The alerts by which a server refuses a connection because of the client's certificate, with their explanations. */
    private static final Map<String, String> ALERTS = Map.of(
            "certificate_required",
            "the server asks for a client's certificate: give one that it trusts (" + GIVE_CERTIFICATE + ")",
            "handshake_failure",
            "the server refused the handshake: perhaps it asks for a client's certificate (" + GIVE_CERTIFICATE + ")",
            "bad_certificate",
            "the server refused the client's certificate, or asks for one (" + GIVE_CERTIFICATE + ")",
            "unknown_ca",
            "the server does not trust the authority of the client's certificate (" + GIVE_CERTIFICATE + ")",
            "certificate_expired",
            "the client's certificate has expired, says the server (" + GIVE_CERTIFICATE + ")",
            "certificate_unknown",
            "the server refused the client's certificate (" + GIVE_CERTIFICATE + ")");

    /** An exception whose message is already an explanation. */
    private static final class Explained extends CertificateException {
        private static final long serialVersionUID = 1L;

        Explained(String message, CertificateException cause) {
            super(message, cause);
        }
    }

    private final X509Certificate[] chain;
    private final CertificateException failure;

    /** @param chain the server's certificate first */
    CertificateWords(X509Certificate[] chain, CertificateException failure) {
        this.chain = chain;
        this.failure = failure;
    }

    /**
     * Returns an exception with an explanation.
     *
     * @param trustworthy whether only the name is wrong
     * @param host the name that was expected
     * @param trusted which authorities are trusted, in words
     */
    CertificateException explained(boolean trustworthy, String host, String trusted) {
        return new Explained(words(trustworthy, host, trusted), failure);
    }

    private String words(boolean trustworthy, String host, String trusted) {
        X509Certificate server = chain[0];
        String what = "the server's certificate, for " + names(server) + ", ";
        if (trustworthy) {
            return what + "is not for '" + shortened(host) + "': connect to a name that it has, or say which of them to"
                    + " expect (Tls.withServerName)";
        }
        Instant now = Instant.now();
        for (int i = 0; i < chain.length; i++) {
            X509Certificate each = chain[i];
            String whose = i == 0 ? what : "the certificate of the server's authority " + subject(each) + " ";
            if (now.isAfter(each.getNotAfter().toInstant())) {
                return whose + "expired on " + each.getNotAfter().toInstant() + ": renew it";
            }
            if (now.isBefore(each.getNotBefore().toInstant())) {
                return whose + "is in force only from " + each.getNotBefore().toInstant()
                        + ": wait for that, or set this machine's clock right";
            }
        }
        return what + "issued by " + shortened(server.getIssuerX500Principal().getName())
                + ", is not signed by an authority " + trusted + ": " + GIVE_AUTHORITY;
    }

    private static String subject(X509Certificate certificate) {
        return shortened(certificate.getSubjectX500Principal().getName());
    }

    private static String names(X509Certificate certificate) {
        List<String> names = new ArrayList<>();
        try {
            Collection<List<?>> all = certificate.getSubjectAlternativeNames();
            for (List<?> each : all == null ? List.<List<?>>of() : all) {
                if (each.get(0) instanceof Integer kind && (kind == DNS || kind == ADDRESS)) {
                    names.add(shortened(String.valueOf(each.get(1))));
                }
            }
        } catch (CertificateParsingException e) {
            return "names that cannot be read";
        }
        if (names.isEmpty()) {
            return subject(certificate);
        }
        int more = names.size() - MOST_NAMES;
        return more > 0
                ? String.join(", ", names.subList(0, MOST_NAMES)) + " and " + more + " more"
                : String.join(", ", names);
    }

    private static String shortened(String text) {
        String printable = text.replaceAll("\\p{Cntrl}", "?");
        return printable.length() > LONGEST_TEXT ? printable.substring(0, LONGEST_TEXT) + "…" : printable;
    }

    static @Nullable String explain(Throwable failure) {
        String found = null;
        for (Throwable each = failure; each != null; each = each.getCause()) {
            String text = String.valueOf(each.getMessage());
            if (each instanceof Explained) {
                return text;
            }
            // With a context of the application there are only the texts of the JDK.
            if (each instanceof CertPathBuilderException) {
                found = "the server's certificate is not signed by an authority that the SSLContext trusts";
            } else if (each instanceof CertificateExpiredException) {
                found = "the server's certificate has expired (" + text + ")";
            } else if (each instanceof CertificateException && found == null) {
                found = "the server's certificate is not good: " + text;
            } else if (each instanceof SSLException && text.contains("fatal alert: ") && found == null) {
                found = ALERTS.get(text.substring(text.indexOf("fatal alert: ") + "fatal alert: ".length()));
            }
        }
        return found;
    }
}
