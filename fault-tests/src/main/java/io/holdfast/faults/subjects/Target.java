package io.holdfast.faults.subjects;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Where a subject's servers are.
 *
 * @param addresses of one server, of Sentinels, of a cluster, or of the nodes of a quorum
 * @param detours the port of a proxy for the port of each server that is to be reached through one. Servers name each other to
 *     clients by their own ports
 * @param followed where figures go of the calls that are compared with the model; null if none are
 */
public record Target(
        List<String> addresses,
        Map<Integer, Integer> detours,
        @Nullable Path followed) {
    private static final String FOLLOWED = "followed=";

    /** Copies. */
    public Target {
        addresses = List.copyOf(addresses);
        detours = Map.copyOf(detours);
    }

    /** Whose calls are not followed. */
    public Target(List<String> addresses, Map<Integer, Integer> detours) {
        this(addresses, detours, null);
    }

    /** The same servers; calls are followed, and their figures go to a file. */
    public Target followedInto(Path file) {
        return new Target(addresses, detours, file);
    }

    /** The address of a single server, through its proxy if there is one. */
    public String one() {
        String address = addresses.get(0);
        for (Map.Entry<Integer, Integer> detour : detours.entrySet()) {
            address = address.replaceFirst(":" + detour.getKey() + "$", ":" + detour.getValue());
        }
        return address;
    }

    /** In one word, for {@link #parse}. */
    @Override
    public String toString() {
        return String.join("|", addresses)
                + detours.entrySet().stream()
                        .map(each -> " " + each.getKey() + "=" + each.getValue())
                        .collect(Collectors.joining())
                + (followed == null ? "" : " " + FOLLOWED + followed.toUri()); // which has no blanks
    }

    /** From its text form. */
    public static Target parse(String text) {
        String[] parts = text.split(" ", -1);
        Map<Integer, Integer> detours = new TreeMap<>();
        Path followed = null;
        for (String each : List.of(parts).subList(1, parts.length)) {
            if (each.startsWith(FOLLOWED)) {
                followed = Path.of(URI.create(each.substring(FOLLOWED.length())));
            } else {
                String[] ports = each.split("=", -1);
                detours.put(Integer.valueOf(ports[0]), Integer.valueOf(ports[1]));
            }
        }
        return new Target(List.of(parts[0].split("\\|")), detours, followed);
    }
}
