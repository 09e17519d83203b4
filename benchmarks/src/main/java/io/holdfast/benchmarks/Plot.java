package io.holdfast.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.DoubleFunction;

/** Lines over logarithmic axes, as SVG. */
final class Plot {
    private static final int WIDTH = 860;
    private static final int HEIGHT = 420;
    private static final int LEFT = 70;
    private static final int RIGHT = 250; // the names stand there
    private static final int TOP = 40;
    private static final int BOTTOM = 50;
    private static final int SYMBOLS = 4; // dashes, so that lines differ without colours, too
    private static final String[] COLOURS = {
        "#0b6e4f", "#2a9d8f", "#b5179e", "#d62828", "#f77f00", "#3a0ca3", "#4895ef", "#6c757d", "#adb5bd", "#000000"
    };
    private static final String[] DASHES = {"", "6 3", "2 3", "9 3 2 3"};
    /** From the median to one in ten thousand. */
    private static final double[] PARTS = {
        0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.98, 0.99, 0.995, 0.998, 0.999, 0.9995, 0.9999
    };

    private record Point(double x, double y) {}

    private record Line(String name, List<Point> points) {}

    private final String title;
    private final String xName;
    private final String yName;
    private final DoubleFunction<String> xLabel;
    private final List<Line> lines = new ArrayList<>();

    private Plot(String title, String xName, String yName, DoubleFunction<String> xLabel) {
        this.title = title;
        this.xName = xName;
        this.yName = yName;
        this.xLabel = xLabel;
    }

    /** Latencies by percentile: to the right are the rare ones, each step ten times as rare. */
    static Plot ofPercentiles(String title) {
        return new Plot(title, "percentile", "µs", x -> {
            double percent = 100 * (1 - 1 / x);
            return String.format(Locale.ROOT, percent > 99.5 ? "%.2f" : "%.0f", percent);
        });
    }

    /** Cost as something grows. */
    static Plot ofGrowth(String title, String xName, String yName) {
        return new Plot(title, xName, yName, x -> String.format(Locale.ROOT, "%,.0f", x));
    }

    Plot add(String name, Histogram histogram) {
        List<Point> points = new ArrayList<>();
        for (double part : PARTS) {
            if (part == 0 || histogram.total() * (1 - part) >= 1) {
                points.add(new Point(1 / (1 - part), Math.max(0.1, histogram.at(part) / 1e3)));
            }
        }
        lines.add(new Line(name, points));
        return this;
    }

    /** @param points pairs of what grew and what it cost */
    Plot add(String name, List<double[]> points) {
        lines.add(new Line(
                name,
                points.stream()
                        .map(each -> new Point(Math.max(1, each[0]), Math.max(0.1, each[1])))
                        .toList()));
        return this;
    }

    boolean isEmpty() {
        return lines.isEmpty();
    }

    String svg() {
        double[] x = range(lines.stream()
                .flatMap(line -> line.points().stream())
                .mapToDouble(Point::x)
                .toArray());
        double[] y = range(lines.stream()
                .flatMap(line -> line.points().stream())
                .mapToDouble(Point::y)
                .toArray());
        StringBuilder out = new StringBuilder();
        out.append(String.format(
                Locale.ROOT,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\""
                        + " font-size=\"12\">%n<title>%s</title>%n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>%n",
                WIDTH,
                HEIGHT,
                escape(title)));
        text(out, LEFT, TOP / 2 + 4, "start", "<tspan font-weight=\"bold\">" + escape(title) + "</tspan>");
        axes(out, x, y);
        for (int i = 0; i < lines.size(); i++) {
            line(out, i, x, y);
        }
        return out.append("</svg>\n").toString();
    }

    /** Whole powers of ten around all values. */
    private static double[] range(double[] values) {
        double min = Double.MAX_VALUE;
        double max = 0;
        for (double value : values) {
            min = Math.min(min, value);
            max = Math.max(max, value);
        }
        double from = Math.floor(Math.log10(min) + 1e-9);
        return new double[] {from, Math.max(from + 1, Math.ceil(Math.log10(max) - 1e-9))};
    }

    private static double place(double value, double[] range, double from, double to) {
        return from + (to - from) * (Math.log10(value) - range[0]) / (range[1] - range[0]);
    }

    private static double across(double value, double[] range) {
        return place(value, range, LEFT, WIDTH - RIGHT);
    }

    private static double up(double value, double[] range) {
        return place(value, range, HEIGHT - BOTTOM, TOP);
    }

    private void axes(StringBuilder out, double[] x, double[] y) {
        for (double power = x[0]; power <= x[1]; power++) {
            double at = across(Math.pow(10, power), x);
            rule(out, at, TOP, at, HEIGHT - BOTTOM);
            text(out, at, HEIGHT - BOTTOM + 16, "middle", xLabel.apply(Math.pow(10, power)));
        }
        for (double power = y[0]; power <= y[1]; power++) {
            double at = up(Math.pow(10, power), y);
            rule(out, LEFT, at, WIDTH - RIGHT, at);
            text(
                    out,
                    LEFT - 6,
                    at + 4,
                    "end",
                    String.format(Locale.ROOT, power < 0 ? "%.1f" : "%,.0f", Math.pow(10, power)));
        }
        text(out, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 12, "middle", escape(xName));
        text(out, 8, TOP - 8, "start", escape(yName));
    }

    private void line(StringBuilder out, int number, double[] x, double[] y) {
        Line line = lines.get(number);
        String look = "stroke=\"" + COLOURS[number % COLOURS.length] + "\" stroke-dasharray=\""
                + DASHES[number % SYMBOLS] + "\" stroke-width=\"2\" fill=\"none\"";
        StringBuilder path = new StringBuilder();
        for (Point point : line.points()) {
            path.append(String.format(Locale.ROOT, "%.1f,%.1f ", across(point.x(), x), up(point.y(), y)));
        }
        out.append("<polyline points=\"")
                .append(path.toString().strip())
                .append("\" ")
                .append(look)
                .append("/>\n");
        int at = TOP + 10 + 18 * number;
        out.append(String.format(
                Locale.ROOT,
                "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" %s/>%n",
                WIDTH - RIGHT + 16,
                at,
                WIDTH - RIGHT + 44,
                at,
                look));
        text(out, WIDTH - RIGHT + 50, at + 4, "start", escape(line.name()));
    }

    private static void rule(StringBuilder out, double fromX, double fromY, double toX, double toY) {
        out.append(String.format(
                Locale.ROOT,
                "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/>%n",
                fromX,
                fromY,
                toX,
                toY));
    }

    private static void text(StringBuilder out, double x, double y, String anchor, String text) {
        out.append(String.format(
                Locale.ROOT, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>%n", x, y, anchor, text));
    }

    private static String escape(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}
