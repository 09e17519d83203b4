package io.holdfast.spring.platforms;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.spring.CurrentLease;
import io.holdfast.spring.Locked;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;

/** A new application, as a process of its own; {@link NewApplicationTest} says when it goes on, and reads what it says. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
@EnableTransactionManagement
public class NewApplication {
    private static final BufferedReader IN =
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));

    @Bean
    Orders orders() {
        return new Orders();
    }

    /** There is no database in it. */
    @Bean
    Telling transactions() {
        return new Telling();
    }

    static class Orders {
        @Locked(value = "order/{#id}", leaseDuration = "3s")
        @Transactional
        public void book(String id) throws Exception {
            say("booking");
            CurrentLease.get().whenLost().toCompletableFuture().get(60, TimeUnit.SECONDS);
        }
    }

    static final class Telling extends AbstractPlatformTransactionManager {
        private static final long serialVersionUID = 1L;

        @Override
        protected Object doGetTransaction() {
            return new Object();
        }

        @Override
        protected void doBegin(Object transaction, TransactionDefinition definition) {}

        @Override
        protected void doCommit(DefaultTransactionStatus status) {
            say("committed");
        }

        @Override
        protected void doRollback(DefaultTransactionStatus status) {
            say("rolled back");
        }
    }

    private static void say(String text) {
        System.out.println("> " + text);
    }

    /** The main method of any application, with something to do. */
    public static void main(String[] arguments) throws Exception {
        ConfigurableApplicationContext context = SpringApplication.run(NewApplication.class, arguments);
        say("port " + context.getEnvironment().getProperty("local.server.port"));
        try {
            context.getBean(Orders.class).book("7");
        } catch (LeaseLostException e) {
            say("lost " + e.lockName());
        }
        Lease lease = context.getBean(Holdfast.class).lock("kept").acquire();
        say("holds " + lease.name());
        IN.readLine();
        long begin = System.nanoTime();
        context.close();
        say("closed after " + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin) + " ms");
    }
}
