package io.holdfast.cli;

import io.holdfast.Diagnosis;
import io.holdfast.Diagnosis.Facts;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Which row of docs/guide/managed-servers.md a server belongs to: by what it refuses, by the product that it reports, and by
 * the name of its host, in this order.
 */
final class KnownServers {
    /**
     * A row of the page.
     *
     * @param name how the row begins
     * @param fit whether nothing of it speaks against locks there
     * @param advice what to do
     */
    record Row(String name, boolean fit, String advice) {}

    private record Host(Pattern name, Row row) {
        Host(String name, Row row) {
            this(Pattern.compile("(?:^|.*[.@/])" + name + "(?::\\d+)?(?:[,/].*)?"), row);
        }
    }

    private static final Row DIVIDED = new Row(
            "Azure Managed Redis, Redis Cloud: Enterprise policy",
            true,
            "with the OSS policy and redis-cluster:// all renewals of a shard are one call");
    private static final Row DIVIDED_OPENLY = new Row(
            "Azure Managed Redis, Redis Cloud: OSS policy", true, "nothing is to be done: it behaves like a cluster");
    private static final Row TAIR_PROXY = new Row(
            "Alibaba Tair: proxy mode", false, "use the direct mode, with redis-cluster://: the proxy refuses scripts");
    private static final Row TAIR = new Row("Alibaba Tair: direct mode", true, "connect with redis-cluster://");
    private static final Row COMPATIBLE = new Row(
            "Dragonfly, Garnet, Kvrocks",
            false,
            "Holdfast was never tried on these servers: test a failover before you rely on one of them");
    private static final Row KEYDB =
            new Row("KeyDB, active replication", false, "do not use it with two masters, which grant one lock twice");

    private static final List<Host> HOSTS = List.of(
            new Host(
                    "[^.]+\\.serverless\\.[^.]+\\.cache\\.amazonaws\\.com",
                    new Row(
                            "ElastiCache Serverless",
                            true,
                            "connect with rediss-cluster://, and without withReplicas: there is no WAIT")),
            new Host(
                    "cache\\.amazonaws\\.com",
                    new Row("ElastiCache, nodes", true, "with cluster mode enabled, connect with redis-cluster://")),
            new Host("memorydb\\.[^.]+\\.amazonaws\\.com", new Row("MemoryDB", true, "connect with rediss-cluster://")),
            new Host("redis\\.cache\\.windows\\.net", DIVIDED),
            new Host("redis\\.azure\\.net", DIVIDED),
            new Host("redisenterprise\\.cache\\.azure\\.net", DIVIDED),
            new Host("redis-cloud\\.com", DIVIDED),
            new Host("redislabs\\.com", DIVIDED),
            new Host("redis\\.rds\\.aliyuncs\\.com", TAIR),
            new Host("upstash\\.io", new Row("Upstash", false, "use another one: a script stops the whole database")));

    /** How a report of a cluster begins, and no other. */
    private static final String CLUSTER = "the cluster at ";

    private KnownServers() {}

    /** The product's name, as its makers write it. */
    static String product(Facts facts) {
        return switch (facts.product()) {
            case "keydb" -> "KeyDB";
            default ->
                facts.product().substring(0, 1).toUpperCase(Locale.ROOT)
                        + facts.product().substring(1);
        };
    }

    /** Empty for a server that nothing tells from one of one's own. */
    static Optional<Row> row(Diagnosis diagnosis) {
        if (diagnosis.probes().stream()
                .anyMatch(
                        probe -> probe.problem().filter(KnownServers::isOfTair).isPresent())) {
            return Optional.of(TAIR_PROXY);
        }
        String product = diagnosis.facts().map(Facts::product).orElse("redis");
        switch (product) {
            case "dragonfly", "garnet", "kvrocks" -> {
                return Optional.of(COMPATIBLE);
            }
            case "keydb" -> {
                return Optional.of(KEYDB);
            }
            default -> {
                String server = diagnosis.server().toLowerCase(Locale.ROOT);
                return HOSTS.stream()
                        .filter(host -> host.name().matcher(server).matches())
                        .map(Host::row)
                        .map(row -> row == DIVIDED && server.startsWith(CLUSTER) ? DIVIDED_OPENLY : row)
                        .findFirst();
            }
        }
    }

    /** The proxy looks at the text of a script, and wants each key written as an element of KEYS. */
    private static boolean isOfTair(String problem) {
        return problem.contains("bad lua script for redis cluster")
                || problem.contains("should be passed using the KEYS array");
    }
}
