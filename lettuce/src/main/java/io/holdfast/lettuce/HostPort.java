package io.holdfast.lettuce;

/** How an address is written for people. */
final class HostPort {
    private HostPort() {}

    static String of(String host, int port) {
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    }
}
