package io.holdfast.cli;

import io.holdfast.Admin;
import io.holdfast.Holdfast;
import io.holdfast.Inspector;
import io.holdfast.LockInfo.Kind;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/** {@code --scan}: searches the whole server where commands ask clients otherwise. It says first what that costs. */
final class Scan {
    private static final String OPTION = "--scan";

    private Scan() {}

    static OptionSpec option() {
        return Specs.flag(
                "Search all keys of the server instead of asking clients for their locks; this also finds locks"
                        + " that no client reports. Prints first what the search costs the server.",
                OPTION);
    }

    /** Where names of a kind are looked at; of all of them for null. */
    static Inspector inspector(boolean scan, Holdfast client, @Nullable Kind kind) {
        Inspector inspector = Kinds.inspector(client, kind);
        if (!scan) {
            return inspector;
        }
        warn(inspector);
        return inspector.scanning();
    }

    /** The same for acts, of which a command has said before what they cost. */
    static Admin admin(boolean scan, Holdfast client, Kind kind) {
        Admin admin = client.admin().of(kind);
        return scan ? admin.scanning() : admin;
    }

    static boolean isAskedFor(ParseResult given) {
        return given.hasMatchedOption(OPTION);
    }

    static void warn(Inspector inspector) {
        long keys = inspector.serverKeys();
        Duration busy = Duration.ofNanos(keys * 1_000);
        Say.line("searching " + String.format(Locale.ROOT, "%,d", keys) + " keys, which takes the server about "
                + Span.inWords(busy.plusMillis(1)) + " of its time, spread over "
                + Span.inWords(busy.multipliedBy(5).plusMillis(1)));
    }
}
