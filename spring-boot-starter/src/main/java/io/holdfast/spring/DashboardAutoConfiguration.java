package io.holdfast.spring;

import io.holdfast.Holdfast;
import io.holdfast.dashboard.Dashboard;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.ContextClosedEvent;

/** The page that shows locks live, in a web application of servlets. */
@AutoConfiguration(after = HoldfastAutoConfiguration.class)
@ConditionalOnProperty(name = "holdfast.dashboard.enabled", havingValue = "true")
class DashboardAutoConfiguration {
    private static final String DASHBOARD = "io.holdfast.dashboard.Dashboard";

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(name = {DASHBOARD, "jakarta.servlet.http.HttpServlet"})
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    @ConditionalOnSingleCandidate(Holdfast.class)
    static class Mounted {
        @Bean
        @ConditionalOnMissingBean
        static Dashboard holdfastDashboard(Holdfast holdfast, HoldfastProperties properties) {
            HoldfastProperties.DashboardPage page = properties.dashboard();
            return Dashboard.of(
                    holdfast,
                    page.allowChanges(),
                    page.environment(),
                    Dashboard.Colour.valueOf(page.colour().name()));
        }

        /** Before the web server ends, which would wait for the streams of open pages. */
        @Bean
        static ApplicationListener<ContextClosedEvent> holdfastDashboardEnd(
                Dashboard dashboard, ApplicationContext context) {
            return event -> {
                if (event.getApplicationContext() == context) {
                    dashboard.close();
                }
            };
        }

        @Bean
        static ServletRegistrationBean<DashboardServlet> holdfastDashboardServlet(
                Dashboard dashboard, HoldfastProperties properties) {
            String path = properties.dashboard().path();
            if (!path.startsWith("/") || path.endsWith("/") || path.contains("*")) {
                throw new SetupException(
                        "holdfast.dashboard.path is '" + path + "'",
                        "Give a path that begins with a slash, does not end with one and contains no *: /holdfast");
            }
            ServletRegistrationBean<DashboardServlet> registration =
                    new ServletRegistrationBean<>(new DashboardServlet(dashboard), path + "/*");
            registration.setName("holdfastDashboard");
            registration.setAsyncSupported(true);
            return registration;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingClass(DASHBOARD)
    static class Missing {
        @Bean
        static SmartInitializingSingleton holdfastDashboardMissing() {
            return () -> {
                throw new SetupException(
                        "holdfast.dashboard.enabled is true, but the dashboard is not on the class path",
                        "Add io.holdfast:holdfast-dashboard to the application's dependencies, or remove the property");
            };
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
    static class Reactive {
        @Bean
        static SmartInitializingSingleton holdfastDashboardReactive() {
            return () -> {
                throw new SetupException(
                        "holdfast.dashboard.enabled is true, but this application has no servlets",
                        "In a reactive application, start a server for the page alone: DashboardServer.start(holdfast,"
                                + " DashboardServer.Options.defaults())");
            };
        }
    }
}
