package io.holdfast.vertx;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.ApplicationProtocolNegotiator;
import io.netty.handler.ssl.SslContext;
import io.vertx.core.net.SSLEngineOptions;
import io.vertx.core.spi.tls.SslContextFactory;
import java.util.List;
import java.util.function.Supplier;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSessionContext;

/** Has Vert.x encrypt with engines of ours, which know which certificates are good: it cannot be handed an SSLContext. */
final class TlsEngine extends SSLEngineOptions {
    private final Supplier<SSLEngine> engines;

    TlsEngine(Supplier<SSLEngine> engines) {
        this.engines = engines;
    }

    @Override
    public SSLEngineOptions copy() {
        return new TlsEngine(engines);
    }

    @Override
    public SslContextFactory sslContextFactory() {
        return () -> new Engines(engines);
    }

    private static final class Engines extends SslContext {
        private final Supplier<SSLEngine> engines;

        Engines(Supplier<SSLEngine> engines) {
            this.engines = engines;
        }

        @Override
        public boolean isClient() {
            return true;
        }

        @Override
        public List<String> cipherSuites() {
            return List.of(engines.get().getEnabledCipherSuites());
        }

        @Override
        @SuppressWarnings("deprecation") // abstract all the same
        public ApplicationProtocolNegotiator applicationProtocolNegotiator() {
            return List::of; // none
        }

        @Override
        public SSLEngine newEngine(ByteBufAllocator allocator) {
            return engines.get();
        }

        /** The engines know the host that the certificate has to name: Vert.x is given its address. */
        @Override
        public SSLEngine newEngine(ByteBufAllocator allocator, String host, int port) {
            return engines.get();
        }

        @Override
        public SSLSessionContext sessionContext() {
            return engines.get().getSession().getSessionContext();
        }
    }
}
