package io.holdfast.spring;

import java.lang.reflect.Array;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;

/** The name of a lock, or of a group, as an annotation gives it: text, placeholders, and expressions over the arguments of a method. */
final class NameTemplate {
    private static final SpelExpressionParser PARSER = new SpelExpressionParser();
    private static final ParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();

    /** @param text what stands there; of an expression, as it was written */
    private record Part(String text, @Nullable Expression expression) {}

    private final String what;
    private final Method method;
    private final BeanFactory beans;
    private final List<Part> parts = new ArrayList<>();

    /**
     * Reads a template, and checks all that can be known before a call.
     *
     * @param what the text is for messages: name, group
     * @param placeholders resolves {@code ${…}}, or throws
     * @throws IllegalArgumentException if it is wrong; the message says what
     */
    NameTemplate(String what, String template, Method method, BeanFactory beans, UnaryOperator<String> placeholders) {
        this.what = what;
        this.method = method;
        this.beans = beans;
        if (template.isBlank()) {
            throw new IllegalArgumentException("its " + what + " is empty");
        }
        StringBuilder literal = new StringBuilder();
        for (int i = 0; i < template.length(); i++) {
            char c = template.charAt(i);
            if (c == '$' && template.startsWith("{", i + 1)) {
                int end = end(template, i + 1);
                literal.append(placeholders.apply(template.substring(i, end + 1)));
                i = end;
            } else if (c == '{') {
                int end = end(template, i);
                flush(literal);
                parts.add(expression(template.substring(i + 1, end)));
                i = end;
            } else if (c == '}') {
                throw new IllegalArgumentException("its " + what + " '" + template + "' has a } without a {");
            } else {
                literal.append(c);
            }
        }
        flush(literal);
    }

    private void flush(StringBuilder literal) {
        if (!literal.isEmpty()) {
            parts.add(new Part(literal.toString(), null));
            literal.setLength(0);
        }
    }

    /** The brace that closes the one at an index, of those that stand in no quotes. */
    private int end(String template, int open) {
        int depth = 0;
        boolean quoted = false;
        for (int i = open; i < template.length(); i++) {
            char c = template.charAt(i);
            if (c == '\'') {
                quoted = !quoted;
            } else if (!quoted && c == '{') {
                depth++;
            } else if (!quoted && c == '}' && --depth == 0) {
                return i;
            }
        }
        throw new IllegalArgumentException("its " + what + " '" + template + "' has a { without a }");
    }

    private Part expression(String text) {
        Expression expression;
        try {
            expression = PARSER.parseExpression(text);
        } catch (ParseException | IllegalStateException e) {
            throw new IllegalArgumentException(
                    "the expression {" + text + "} of its " + what + " is wrong: " + e.getMessage(), e);
        }
        if (expression instanceof SpelExpression spel) {
            check(text, spel.getAST(), known());
        }
        return new Part("{" + text + "}", expression);
    }

    private Set<String> known() {
        Set<String> known = new HashSet<>(Set.of("root", "this"));
        String[] names = NAMES.getParameterNames(method);
        for (int i = 0; i < method.getParameterCount(); i++) {
            known.addAll(List.of("p" + i, "a" + i));
            if (names != null && i < names.length) { // of a suspend function they are less by one
                known.add(String.valueOf(names[i]));
            }
        }
        return known;
    }

    /** That its variables are parameters: others are null for every call, and all calls would share one lock. */
    private void check(String text, SpelNode node, Set<String> known) {
        if (node instanceof VariableReference) {
            String name = node.toStringAST().substring(1);
            if (!known.contains(name)) {
                throw new IllegalArgumentException("the expression {" + text + "} of its " + what + " uses #" + name
                        + ", and the method has no such parameter"
                        + (NAMES.getParameterNames(method) == null && method.getParameterCount() > 0
                                ? " that is known by its name: compile the class with -parameters, or write #p0, #p1 …"
                                : ""));
            }
        }
        if (node instanceof PropertyOrFieldReference || node instanceof MethodReference) {
            throw new IllegalArgumentException("the expression {" + text + "} of its " + what + " uses '"
                    + node.toStringAST() + "', which refers to nothing: put a # before the name of a parameter");
        }
        if (node instanceof Projection || node instanceof Selection) {
            return; // names in there are of each element
        }
        for (int i = 0; i < node.getChildCount(); i++) {
            SpelNode child = node.getChild(i);
            if (node instanceof CompoundExpression && i > 0) {
                for (int j = 0; j < child.getChildCount(); j++) { // the arguments of what stands behind a dot
                    check(text, child.getChild(j), known);
                }
            } else {
                check(text, child, known);
            }
        }
    }

    /** Whether the name is the same for all calls. */
    boolean isFixed() {
        return parts.stream().allMatch(part -> part.expression() == null);
    }

    /** A text like those of the calls: an asterisk stands for each expression. */
    String sample() {
        return parts.stream()
                .map(part -> part.expression() == null ? part.text() : "*")
                .collect(Collectors.joining());
    }

    /**
     * The name for a call.
     *
     * @throws IllegalArgumentException if a part of it has no value
     */
    String name(Object target, @Nullable Object[] arguments) {
        if (parts.size() == 1 && parts.get(0).expression() == null) {
            return parts.get(0).text();
        }
        MethodBasedEvaluationContext context = new MethodBasedEvaluationContext(target, method, arguments, NAMES);
        context.setBeanResolver(new BeanFactoryResolver(beans));
        StringBuilder name = new StringBuilder();
        for (Part part : parts) {
            Expression expression = part.expression();
            name.append(expression == null ? part.text() : text(part, expression, context));
        }
        return name.toString();
    }

    private String text(Part part, Expression expression, MethodBasedEvaluationContext context) {
        Object value;
        try {
            value = expression.getValue(context);
        } catch (EvaluationException e) {
            throw new IllegalArgumentException(wrong(part) + "cannot be computed: " + e.getMessage(), e);
        }
        if (value == null) {
            throw new IllegalArgumentException(wrong(part) + "is null");
        }
        if (value.getClass().isArray()
                || value instanceof Collection
                || value instanceof Map
                || value instanceof Optional
                || !hasText(value.getClass())) {
            String shown = value.getClass().isArray()
                    ? Array.getLength(value) + " elements"
                    : value.getClass().getName();
            throw new IllegalArgumentException(wrong(part) + "is no plain value, but " + shown
                    + ": use a value with the same text for the same thing, such as an id");
        }
        String text = value.toString();
        if (text.isEmpty()) {
            throw new IllegalArgumentException(wrong(part) + "is empty");
        }
        return text;
    }

    /** Whether its text is its own, and not that of any object, which is another one each time. */
    private static boolean hasText(Class<?> type) {
        try {
            return type.getMethod("toString").getDeclaringClass() != Object.class;
        } catch (NoSuchMethodException e) {
            return false;
        }
    }

    private String wrong(Part part) {
        return "the part " + part.text() + " of the lock's " + what + " at "
                + method.getDeclaringClass().getSimpleName() + "." + method.getName() + "("
                + String.join(
                        ", ",
                        Arrays.stream(method.getParameterTypes())
                                .map(Class::getSimpleName)
                                .toList())
                + ") ";
    }
}
