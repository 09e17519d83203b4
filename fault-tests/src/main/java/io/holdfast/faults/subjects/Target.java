package io.holdfast.faults.subjects;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Where a subject's servers are.
 *
 * @param addresses of one server, of Sentinels, of a cluster, or of the nodes of a quorum
 * @param detours the port of a proxy for the port of each server that is to be reached through one. Servers name each other to
 *     clients by their own ports
 */
public record Target(List<String> addresses, Map<Integer, Integer> detours) {
    /** Copies. */
    public Target {
        addresses = List.copyOf(addresses);
        detours = Map.copyOf(detours);
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
                        .collect(Collectors.joining());
    }

    /** From its text form. */
    public static Target parse(String text) {
        String[] parts = text.split(" ", -1);
        Map<Integer, Integer> detours = new TreeMap<>();
        for (String each : Arrays.asList(parts).subList(1, parts.length)) {
            String[] ports = each.split("=", -1);
            detours.put(Integer.valueOf(ports[0]), Integer.valueOf(ports[1]));
        }
        return new Target(List.of(parts[0].split("\\|")), detours);
    }
}
