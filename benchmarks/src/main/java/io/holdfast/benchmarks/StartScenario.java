package io.holdfast.benchmarks;

import io.holdfast.contracts.servers.RedisServer;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import picocli.CommandLine;

/** How long the command takes until what it runs says its first word. */
final class StartScenario implements Scenario {
    private static final String COMMAND = "command";
    private static final String SOCKET = "socket";
    private static final String JAVA = "java";
    private static final Map<String, String> LABELS = Map.of(
            COMMAND, "holdfast run",
            SOCKET, "Floor: a program with a socket",
            JAVA, "Floor: java -version");

    /** As the script {@code holdfast} starts Java. */
    private static final List<String> FLAGS = List.of(
            "-XX:TieredStopAtLevel=1",
            "-XX:CompileThresholdScaling=3",
            "-XX:+UseSerialGC",
            "-XX:-UsePerfData",
            "-Xshare:auto",
            "-XX:+UnlockDiagnosticVMOptions",
            "-XX:-BytecodeVerificationRemote",
            "-Xlog:disable",
            "-XX:+DisplayVMOutputToStderr");

    @Override
    public String id() {
        return "start";
    }

    @Override
    public String title() {
        return "Start of the command";
    }

    @Override
    public String meaning() {
        return "The time is from the start of `holdfast run NAME -- echo x` until `x` can be read. The program with a"
                + " socket parses its arguments with the same library, and sets and deletes a key by hand. Its classes"
                + " are in an archive, like the command's.";
    }

    @Override
    public List<Metric> metrics() {
        return List.of(Metric.lower("median", "median ms", 1), Metric.lower("best", "best ms", 1));
    }

    @Override
    public List<String> references() {
        return List.of(SOCKET, JAVA);
    }

    @Override
    public List<String> contestants(int size) {
        return List.of(COMMAND, SOCKET, JAVA);
    }

    @Override
    public String label(String contestant) {
        return LABELS.getOrDefault(contestant, contestant);
    }

    @Override
    public Session open(String contestant, int size, Stage stage) {
        RedisServer server = RedisServer.start();
        return new Session() {
            private List<String> line = List.of();

            @Override
            public void warm() throws IOException, InterruptedException {
                line = switch (contestant) {
                    case COMMAND ->
                        List.of(
                                stage.root().resolve("holdfast").toString(),
                                "run",
                                "start",
                                "--url",
                                server.url(),
                                "--",
                                "echo",
                                "x");
                    case SOCKET -> socketProgram(stage.folder(), server.port());
                    default ->
                        List.of(java(), "-Xshare:auto", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "--version");
                };
                start(); // the command builds itself at its first start
            }

            private double start() throws IOException, InterruptedException {
                long begin = System.nanoTime();
                Process process = new ProcessBuilder(line)
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start();
                try (BufferedReader out =
                        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
                    String first = out.readLine();
                    double millis = (System.nanoTime() - begin) / 1e6;
                    while (out.readLine() != null) {
                        // It would be kept from ending.
                    }
                    if (process.waitFor() != 0 || first == null) {
                        throw new Crew.Failed(line + " ended with status " + process.exitValue());
                    }
                    return millis;
                }
            }

            @Override
            public Sample measure() throws IOException, InterruptedException {
                double[] millis = new double[stage.scale().starts()];
                for (int i = 0; i < millis.length; i++) {
                    millis[i] = start();
                }
                Arrays.sort(millis);
                return new Sample(Map.of("median", millis[millis.length / 2], "best", millis[0]), null);
            }

            @Override
            public void close() {
                server.close();
            }
        };
    }

    private static String java() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    /** The classes of an archive have to come from jars. */
    private static List<String> socketProgram(Path folder, int port) throws IOException, InterruptedException {
        Path jar = folder.resolve("socket-program.jar");
        String resource = SocketProgram.class.getName().replace('.', '/') + ".class";
        try (OutputStream file = Files.newOutputStream(jar);
                JarOutputStream out = new JarOutputStream(file);
                InputStream in = SocketProgram.class.getClassLoader().getResourceAsStream(resource)) {
            if (in == null) {
                throw new IOException("no " + resource);
            }
            out.putNextEntry(new JarEntry(resource));
            in.transferTo(out);
        }
        String path = jar
                + File.pathSeparator
                + Path.of(CommandLine.class
                        .getProtectionDomain()
                        .getCodeSource()
                        .getLocation()
                        .getPath());
        Path classes = folder.resolve("socket-program.classes");
        Path archive = folder.resolve("socket-program.jsa");
        List<String> program = List.of(
                "-cp", path, SocketProgram.class.getName(), "--port", Integer.toString(port), "start", "echo", "x");
        run(FLAGS, List.of("-Xshare:off", "-XX:DumpLoadedClassList=" + classes), program);
        run(
                List.of("-XX:+UseG1GC", "-XX:+UnlockDiagnosticVMOptions", "-XX:-BytecodeVerificationRemote"),
                List.of("-Xshare:dump", "-XX:SharedClassListFile=" + classes, "-XX:SharedArchiveFile=" + archive),
                List.of("-cp", path));
        List<String> line = new ArrayList<>(List.of(java()));
        line.addAll(FLAGS);
        line.add("-XX:SharedArchiveFile=" + archive);
        line.addAll(program);
        return line;
    }

    @SafeVarargs
    private static void run(List<String>... parts) throws IOException, InterruptedException {
        List<String> line = new ArrayList<>(List.of(java()));
        for (List<String> part : parts) {
            line.addAll(part);
        }
        Process process = new ProcessBuilder(line)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        if (!process.waitFor(60, TimeUnit.SECONDS) || process.exitValue() != 0) {
            process.destroyForcibly();
            throw new Crew.Failed("could not be prepared: " + line);
        }
    }
}
