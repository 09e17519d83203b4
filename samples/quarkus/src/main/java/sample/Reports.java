package sample;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastClosedException;
import io.holdfast.Lease;
import io.quarkus.runtime.QuarkusApplication;
import io.quarkus.runtime.annotations.QuarkusMain;

/** Makes a report every few seconds; of several processes, one at a time does. */
@QuarkusMain
class Reports implements QuarkusApplication {
    private final Report report;
    private final Holdfast holdfast;

    Reports(Report report, Holdfast holdfast) {
        this.report = report;
        this.holdfast = holdfast;
    }

    @Override
    public int run(String... arguments) throws Exception {
        if (arguments.length > 0) {
            Lease lease = holdfast.lock(arguments[0]).acquire(); // and leaves it to the end of the application
            System.out.println("token " + lease.token());
            return 0;
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
}
