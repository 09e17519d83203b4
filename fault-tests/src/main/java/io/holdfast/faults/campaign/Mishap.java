package io.holdfast.faults.campaign;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** What happens in one episode: one fault, or two at a time, of which each acts upon something else. */
record Mishap(List<Fault> faults) {
    private static final String AND = "+";

    Mishap {
        faults = List.copyOf(faults);
        if (faults.size() > 2) {
            throw new IllegalArgumentException("more than two faults at a time: " + label(faults));
        }
        Set<Fault.Victim> victims = faults.stream().map(Fault::victim).collect(Collectors.toSet());
        if (faults.size() == 2 && (victims.size() < 2 || victims.contains(Fault.Victim.NOBODY))) {
            throw new IllegalArgumentException(
                    "of two faults at a time one acts upon processes, the network or servers,"
                            + " and the other upon something else: not so " + label(faults));
        }
    }

    static Mishap of(Fault fault) {
        return new Mishap(List.of(fault));
    }

    /** From its {@link #label}. */
    static Mishap of(String label) {
        List<Fault> faults = new ArrayList<>();
        for (String each : label.split("\\" + AND, -1)) {
            faults.add(Fault.of(each));
        }
        return new Mishap(faults);
    }

    /** Its name on the command line and in reports. */
    String label() {
        return label(faults);
    }

    private static String label(List<Fault> faults) {
        return faults.stream().map(Fault::label).collect(Collectors.joining(AND));
    }

    /** Whether the assumptions allow it: then every promise must hold. */
    boolean isInside(Topology topology) {
        return all(fault -> fault.isInside(topology));
    }

    /** Whether the servers forget grants by it, and nothing worse happens. */
    boolean forgets(Topology topology) {
        return any(Fault::forgets) && all(fault -> fault.forgets() || fault.isInside(topology));
    }

    /** How often it strikes in one episode: as often as the one that takes longest. */
    int times() {
        return faults.stream().mapToInt(Fault::times).min().orElse(0);
    }

    boolean concerns(Topology topology) {
        return all(fault -> fault.concerns(topology));
    }

    /** What the single server has to be started with. */
    List<String> serverSettings() {
        return faults.stream().flatMap(fault -> fault.serverSettings().stream()).toList();
    }

    private boolean all(Predicate<Fault> test) {
        return faults.stream().allMatch(test);
    }

    /** Whether one of them is such a fault. */
    boolean any(Predicate<Fault> test) {
        return faults.stream().anyMatch(test);
    }
}
