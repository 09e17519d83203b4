package io.holdfast.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Replaces the beans of the type {@link io.holdfast.Holdfast} by clients in memory, so that a test of an application needs no
 * server. Put it on a test class with {@code @SpringBootTest} or a similar annotation. A bean of the type
 * {@link io.holdfast.testkit.LeaseControl} causes failures: for example, it makes another client hold a lock, or makes a lease
 * lost.
 *
 * <pre>{@code
 * @SpringBootTest
 * @HoldfastTest
 * class InvoicesTest {
 *     @Autowired Invoices invoices;
 *     @Autowired LeaseControl control;
 *
 *     @Test
 *     void book_anotherIsAtIt_isRefused() {
 *         control.hold("invoice/7");
 *         assertThrows(LockTimeoutException.class, () -> invoices.book("7"));
 *     }
 * }
 * }</pre>
 *
 * <p>The beans keep their names, and have the options that the properties set. After each test all locks are released, all
 * waiters are dropped, and connections that the test has broken work again. Tests that share an application context share
 * the locks, too: they must not run at the same time.
 *
 * <p>Needs {@code holdfast-testkit}. If a test is not about locking, set {@code holdfast.mode} to {@code granting},
 * {@code refusing} or {@code failing} instead.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
public @interface HoldfastTest {}
