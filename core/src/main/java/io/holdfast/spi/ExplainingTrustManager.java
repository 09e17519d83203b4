package io.holdfast.spi;

import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/**
 * A trust manager that delegates to another one, and explains why that one rejects a certificate. Only here are both the
 * certificates and the reason known.
 */
final class ExplainingTrustManager extends X509ExtendedTrustManager {
    private final X509ExtendedTrustManager judge;
    private final String trusted;

    /** @param trusted which authorities are trusted, in words that follow "an authority" */
    ExplainingTrustManager(X509ExtendedTrustManager judge, String trusted) {
        this.judge = judge;
        this.trusted = trusted;
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType, Socket socket)
            throws CertificateException {
        try {
            judge.checkServerTrusted(chain, authType, socket);
        } catch (CertificateException e) {
            throw explained(
                    chain,
                    authType,
                    socket instanceof SSLSocket own ? own.getHandshakeSession().getPeerHost() : null,
                    e);
        }
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
            throws CertificateException {
        try {
            judge.checkServerTrusted(chain, authType, engine);
        } catch (CertificateException e) {
            throw explained(chain, authType, engine.getPeerHost(), e);
        }
    }

    private CertificateException explained(
            X509Certificate[] chain, String authType, @Nullable String host, CertificateException failure) {
        boolean trustworthy = true;
        try {
            judge.checkServerTrusted(chain, authType); // does not check the name
        } catch (CertificateException e) {
            trustworthy = false;
        }
        return new CertificateWords(chain, failure).explained(trustworthy, String.valueOf(host), trusted);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType) throws CertificateException {
        judge.checkServerTrusted(chain, authType);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType) throws CertificateException {
        judge.checkClientTrusted(chain, authType);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType, Socket socket)
            throws CertificateException {
        judge.checkClientTrusted(chain, authType, socket);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
            throws CertificateException {
        judge.checkClientTrusted(chain, authType, engine);
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return judge.getAcceptedIssuers();
    }
}
