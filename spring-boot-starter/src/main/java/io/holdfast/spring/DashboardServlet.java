package io.holdfast.spring;

import io.holdfast.dashboard.Dashboard;
import io.holdfast.dashboard.DashboardExchange;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.security.Principal;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeanWrapper;
import org.springframework.beans.BeansException;
import org.springframework.beans.PropertyAccessorFactory;

/** The page in a web server of servlets. */
final class DashboardServlet extends HttpServlet {
    private static final long serialVersionUID = 1L;

    private final transient Dashboard dashboard;

    DashboardServlet(Dashboard dashboard) {
        this.dashboard = dashboard;
    }

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
        dashboard.handle(new Exchange(request, response));
    }

    private record Exchange(HttpServletRequest request, HttpServletResponse response) implements DashboardExchange {
        @Override
        public String method() {
            return request.getMethod();
        }

        @Override
        public String mount() {
            return request.getContextPath() + request.getServletPath();
        }

        @Override
        public String path() {
            String path = request.getPathInfo();
            return path == null ? "" : path;
        }

        @Override
        public @Nullable String query() {
            return request.getQueryString();
        }

        @Override
        public @Nullable String header(String name) {
            return request.getHeader(name);
        }

        @Override
        public String principal() {
            Principal user = request.getUserPrincipal();
            return user == null ? request.getRemoteAddr() : user.getName();
        }

        @Override
        public InputStream body() throws IOException {
            return request.getInputStream();
        }

        /**
         * What Spring Security, where it is, wants to see with whatever is posted. By its properties, so that it need not be there.
         */
        @Override
        public Map<String, String> actHeaders() {
            Object token = request.getAttribute("_csrf");
            if (token == null) {
                return Map.of();
            }
            try {
                BeanWrapper csrf = PropertyAccessorFactory.forBeanPropertyAccess(token);
                return Map.of(
                        String.valueOf(csrf.getPropertyValue("headerName")),
                        String.valueOf(csrf.getPropertyValue("token")));
            } catch (BeansException e) {
                return Map.of(); // somebody else's
            }
        }

        @Override
        public void send(int status, Map<String, String> headers, byte[] body) throws IOException {
            response.setStatus(status);
            headers.forEach(response::setHeader);
            response.setContentLength(body.length);
            response.getOutputStream().write(body);
        }

        @Override
        public OutputStream open(Map<String, String> headers) throws IOException {
            headers.forEach(response::setHeader);
            OutputStream out = response.getOutputStream();
            PageSession session = PageSession.of(request);
            AsyncContext open = request.startAsync();
            open.setTimeout(0);
            return new FilterOutputStream(out) {
                @Override
                public void write(byte[] bytes, int from, int length) throws IOException {
                    session.requireOpen();
                    out.write(bytes, from, length);
                }

                @Override
                public void close() {
                    try {
                        open.complete();
                    } catch (IllegalStateException e) {
                        // Where the browser is gone, the web server may have done so itself.
                    }
                }
            };
        }
    }
}
