package sample;

import io.holdfast.Lease;
import io.holdfast.spring.CurrentLease;
import io.holdfast.spring.RunsOnce;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.core.env.Environment;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/** Every instance has this job on its schedule; at each tick one of them runs it. */
@SpringBootApplication
@EnableScheduling
public class Job {
    private final String instance;

    Job(Environment environment) {
        this.instance = environment.getProperty("instance", "one");
        System.out.println(instance + " is there");
    }

    @Scheduled(cron = "*/5 * * * * *")
    @RunsOnce(value = "samples/report", minHold = "4s")
    public void report() {
        Lease lease = CurrentLease.get();
        System.out.println(instance + " makes the report, lease since " + lease.since() + ", token " + lease.token());
    }

    public static void main(String[] arguments) {
        SpringApplication.run(Job.class, arguments);
    }
}
