package sample;

import io.holdfast.HoldfastClosedException;
import io.holdfast.Lease;
import io.quarkus.runtime.Quarkus;
import io.quarkus.runtime.QuarkusApplication;
import io.quarkus.runtime.annotations.QuarkusMain;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;

/**
 * Makes a report every few seconds; of several processes, one at a time does. With an argument, it works
 * on the long report instead: {@code begin}, {@code adopt}, {@code hold} or {@code leave}.
 */
@QuarkusMain
class Reports implements QuarkusApplication {
    private final Report report;
    private final LongReport longReport;

    Reports(Report report, LongReport longReport) {
        this.report = report;
        this.longReport = longReport;
    }

    @Override
    public int run(String... arguments) throws Exception {
        if (arguments.length > 0) {
            return longReport(arguments[0]);
        }
        try {
            while (true) {
                report.make(() -> System.out.println("the report is made here"));
                Thread.sleep(2_000);
            }
        } catch (HoldfastClosedException e) {
            return 0; // the application stops
        }
    }

    private int longReport(String part) throws Exception {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        if (part.equals("adopt")) {
            longReport.goOn(input.readLine()); // a ticket is a secret, and no argument
            Quarkus.waitForExit();
        }
        Lease lease = longReport.begin();
        if (part.equals("begin")) {
            input.readLine();
            lease.detach(); // the other process has it
            System.out.println("detached");
            Quarkus.waitForExit();
        }
        if (part.equals("hold")) {
            Quarkus.waitForExit();
        }
        return 0; // the end of the application releases the lock
    }
}
