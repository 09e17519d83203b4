package io.holdfast.benchmarks;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * What the command would be if it did next to nothing: reads its arguments, opens a socket, sets a key, runs a command and
 * deletes the key. The floor below the start of {@code holdfast run}.
 */
@Command(name = "socket-program")
final class SocketProgram implements Callable<Integer> {
    @Option(names = "--port", required = true)
    private int port;

    @Parameters(index = "0")
    private String name = "";

    @Parameters(index = "1..*")
    private List<String> command = List.of();

    private SocketProgram() {}

    /** Runs it and ends with the status of the command. */
    public static void main(String[] arguments) {
        System.exit(new CommandLine(new SocketProgram()).execute(arguments));
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setTcpNoDelay(true);
            String value = Long.toString(System.nanoTime());
            if (!ask(socket, "SET", name, value, "NX", "PX", "30000").startsWith("+OK")) {
                return 75;
            }
            int status = new ProcessBuilder(command).inheritIO().start().waitFor();
            ask(socket, "DEL", name);
            return status;
        }
    }

    private static String ask(Socket socket, String... words) throws IOException {
        StringBuilder request = new StringBuilder("*" + words.length + "\r\n");
        for (String word : words) {
            request.append('$')
                    .append(word.length())
                    .append("\r\n")
                    .append(word)
                    .append("\r\n");
        }
        socket.getOutputStream().write(request.toString().getBytes(StandardCharsets.US_ASCII));
        InputStream in = socket.getInputStream();
        StringBuilder line = new StringBuilder();
        for (int next = in.read(); next != '\n' && next >= 0; next = in.read()) {
            line.append((char) next);
        }
        return line.toString();
    }
}
