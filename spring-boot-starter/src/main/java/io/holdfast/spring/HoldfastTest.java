package io.holdfast.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * For tests of an application, on a class with {@code @SpringBootTest} or the like: clients in memory take the place of its
 * beans of the type {@link io.holdfast.Holdfast}, so that no server is needed, and a bean of the type
 * {@link io.holdfast.testkit.LeaseControl} makes them fail: it lets another client hold a lock, or loses a lease.
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
 * <p>Needs {@code holdfast-testkit}. For an application whose locking is not what is tested, set {@code holdfast.mode=granting}
 * instead, or {@code refusing} or {@code failing}.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
public @interface HoldfastTest {}
