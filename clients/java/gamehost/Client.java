package gamehost;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A client of gamehost's open wire (docs/wires/open.rst): one player, who plays one match at a time, as many as you like.
 *
 * <pre>{@code
 * try (Client client = new Client("ann", "127.0.0.1", 8889)) {
 *     Result result = client.play("onitama", (view, legal) -> legal.get(0).action(), Opponents.house("easy"));
 * }
 * }</pre>
 *
 * <p>The client logs in, looks for opponents, and asks the host what may be done. It calls your function when there is
 * something to decide. After a lost connection it connects again, shows the key that the host has given it, and has the seat
 * back. It knows no rules, so it plays each game of a host. It belongs to one thread.
 */
public final class Client implements AutoCloseable {
    /** Milliseconds until the first attempt to connect again; each further pause is twice as long, up to the longest. */
    private static final int FIRST_PAUSE = 500, LONGEST_PAUSE = 5_000;
    /** Milliseconds without a connection after which a client gives up. */
    private static final int PATIENCE = 30_000;
    private static final int CONNECT_WITHIN = 5_000;
    /** After so many milliseconds in which nothing was heard, a ping; then so many for its answer. */
    private static final int PING_AFTER = 10_000, PONG_WITHIN = 5_000;
    /** So many refusals without anything happening between them are a fault of {@code choose}. */
    private static final int MOST_REFUSALS = 3;
    /** The longest line that the host takes, in bytes. */
    private static final int LONGEST_SAID = 4096;
    /** The longest lines of the host, in bytes: before a match, in it (1,000 moves), and after a question for a list. */
    private static final int LONGEST_HEARD = 1 << 16, LONGEST_MOVES = 1 << 20, LONGEST_LIST = 1 << 24;

    private static final Pattern AGAIN = Pattern.compile("\\bagain\\b(?: in (\\d+) s)?");

    /** What the host says before it closes a connection; {@code again} is in seconds, {@code null}: do not come back. */
    private record Bye(String why, Double again) {}

    private final String name;
    private final String host;
    private final int port;
    private String key;
    private String password;
    private Consumer<Map<String, Object>> hear = message -> {};
    private Consumer<String> log;

    // The connection.
    private Socket socket;
    private boolean ready;
    private Bye bye;
    private int failures;
    /** Whether the host has accepted what this client asks for; and when it last did, or {@code play} was called. */
    private boolean served;
    private long servedAt;
    /** Whether this client may have asked for a list, such as that of all tables. */
    private boolean listens;
    /** Bytes that were read: those from {@code at} to {@code limit} are still to be split into lines. */
    private final byte[] chunk = new byte[65_536];
    private int at;
    private int limit;
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();

    // The match.
    private String game;
    private Choose choose;
    private Opponents opponents;
    private Result result;
    /** The message {@code seated}, once it has come. */
    private Map<String, Object> table;
    private List<String> names;
    private long n;
    private long lastId;
    /** The ids of the question and the action that are not answered; 0: there is none. */
    private long asked;
    private long acted;
    private String begun = "";
    private String action = "";
    /** What was refused since something has happened, the last one last. */
    private final List<String> refused = new ArrayList<>();

    /** A player on a host, who connects when {@code play} is called. */
    public Client(String name, String host, int port) {
        this.name = name;
        this.host = host;
        this.port = port;
        this.log = words -> System.err.println(name + ": " + words);
    }

    /** Come back with the key of an earlier connection: a program that was ended takes its seat back with it. */
    public Client key(String key) {
        this.key = key;
        return this;
    }

    /** The key of the last log-in; {@code null}: there was none. */
    public String key() {
        return key;
    }

    /** Log in to an account instead of as a guest. */
    public Client password(String password) {
        this.password = password;
        return this;
    }

    /** Give each message of the host to a function, too. */
    public Client hear(Consumer<Map<String, Object>> hear) {
        this.hear = hear;
        return this;
    }

    /** Tell a function of lost connections and refusals, which go to stderr otherwise. */
    public Client log(Consumer<String> log) {
        this.log = log;
        return this;
    }

    /**
     * Play one match. If the host has kept a seat for this player, that match is played on.
     *
     * @throws HostException the host cannot be reached, does not want this client, or has refused what it asked for
     */
    public Result play(String game, Choose choose, Opponents opponents) throws IOException {
        this.game = game;
        this.choose = choose;
        this.opponents = opponents;
        boolean seek = ready;
        result = null;
        servedAt = System.nanoTime() / 1_000_000;
        try {
            while (result == null) {
                try {
                    if (socket == null) {
                        connect();
                    } else if (seek) {
                        seek();
                    }
                    seek = false;
                    receive(readLine());
                } catch (HostException error) {
                    throw error;
                } catch (IOException error) {
                    lost(error);
                }
            }
            return result;
        } finally {
            table = null;
            asked = acted = 0;
            if (result == null) {
                close(); // in the middle of a match, or of a message
            }
        }
    }

    /**
     * Say something else to the host, such as {@code Map.of("do", "say", "phrase", "hello")}.
     *
     * @throws IOException there is no connection
     */
    public void say(Map<String, Object> message) throws IOException {
        if (!ready) {
            throw new HostException("there is no connection, or the log-in is not answered yet");
        }
        listens = true;
        send(message);
    }

    /** Close the connection. The seat of a match that is not over is kept for some time. */
    @Override
    public void close() {
        Socket open = socket;
        socket = null;
        ready = served = false;
        bye = null;
        asked = acted = 0;
        if (open != null) {
            try {
                open.close();
            } catch (IOException error) {
                // It was lost meanwhile.
            }
        }
    }

    // -- the connection

    private void connect() throws IOException {
        socket = new Socket();
        at = limit = 0;
        line.reset();
        socket.setTcpNoDelay(true);
        socket.connect(new InetSocketAddress(host, port), CONNECT_WITHIN);
        logIn();
    }

    private void logIn() throws IOException {
        if (key != null) {
            send(Map.of("do", "enter", "name", name, "key", key));
        } else if (password != null) {
            send(Map.of("do", "log-in", "name", name, "password", password, "keep", true));
        } else {
            send(Map.of("do", "enter", "name", name));
        }
    }

    /** The connection is lost: wait until it is time for the next attempt. */
    private void lost(IOException error) throws IOException {
        long now = System.nanoTime() / 1_000_000;
        if (served) {
            servedAt = now;
        }
        Bye told = bye;
        close();
        if (told != null && told.again == null) {
            throw new HostException(told.why);
        }
        String why = error instanceof UnknownHostException ? "there is no such host" : error.getMessage();
        why = told == null ? why : told.why;
        long left = servedAt + PATIENCE - now;
        if (left <= 0) {
            throw new HostException(
                    "nothing to play at " + host + ":" + port + " for " + PATIENCE / 1000 + " s: " + why);
        }
        // Spread, so that many clients do not come back all at once.
        double spread = 0.7 + 0.6 * ThreadLocalRandom.current().nextDouble();
        double pause = Math.min(LONGEST_PAUSE, FIRST_PAUSE * Math.pow(2, failures)) * spread;
        long wait = (long) Math.min(left, Math.max(pause, told == null ? 0 : told.again * 1000));
        failures++;
        log.accept(why + "; trying again in " + wait / 100 / 10.0 + " s");
        try {
            Thread.sleep(wait);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while waiting to connect again");
        }
    }

    private String readLine() throws IOException {
        while (true) {
            for (int i = at; i < limit; i++) {
                if (chunk[i] == '\n') {
                    line.write(chunk, at, i - at);
                    at = i + 1;
                    String text = line.toString(StandardCharsets.UTF_8);
                    line.reset();
                    return text;
                }
            }
            line.write(chunk, at, limit - at);
            at = limit = 0;
            if (line.size() > (listens ? LONGEST_LIST : table != null ? LONGEST_MOVES : LONGEST_HEARD)) {
                throw otherProtocol();
            }
            limit = read();
        }
    }

    private int read() throws IOException {
        int size;
        try {
            socket.setSoTimeout(PING_AFTER);
            size = socket.getInputStream().read(chunk);
        } catch (SocketTimeoutException silent) {
            send(Map.of("do", "ping"));
            socket.setSoTimeout(PONG_WITHIN);
            try {
                size = socket.getInputStream().read(chunk);
            } catch (SocketTimeoutException gone) {
                throw new IOException("the host does not answer");
            }
        }
        if (size < 0) {
            throw new EOFException("the host has closed the connection");
        }
        return size;
    }

    private void send(Map<String, Object> message) throws IOException {
        byte[] data = (Json.write(message) + "\n").getBytes(StandardCharsets.UTF_8);
        if (data.length > LONGEST_SAID) {
            throw new HostException("a message of " + data.length + " bytes; the host takes " + LONGEST_SAID + " at most");
        }
        socket.getOutputStream().write(data);
    }

    private HostException otherProtocol() {
        return new HostException(host + ":" + port + " does not speak the open wire, whose port is 8889 by default");
    }

    // -- what the host says

    private void receive(String text) throws IOException {
        Map<String, Object> message;
        String is;
        try {
            message = object(Json.parse(text));
            is = Json.get(message, "is", String.class);
        } catch (IllegalArgumentException error) {
            throw otherProtocol();
        }
        String wrong = Shapes.faultIn(is, message, table, names);
        if (wrong != null) {
            throw new HostException(host + ":" + port + " sent " + Json.write(is) + " with a wrong \"" + wrong + "\"");
        }
        hear.accept(message);
        switch (is) {
            case "entered" -> entered(message);
            case "sorry" -> sorry(text(message, "why"));
            case "stopped" -> {
                if (message.containsKey("why")) {
                    comeAgain(text(message, "why"), 0);
                }
            }
            case "bye" -> {
                Object again = message.get("again");
                bye = new Bye(text(message, "why"), again == null ? null : ((Number) again).doubleValue());
            }
            case "seeking" -> accepted();
            case "seated" -> {
                accepted();
                table = message;
                names = new ArrayList<>(list(message, "names", String.class));
                n = number(message, "n");
                refused.clear();
            }
            case "refused" -> hearRefused(message);
            default -> {
                if (table != null && table.get("table").equals(message.get("table"))) {
                    hearAtTable(is, message);
                }
            }
        }
    }

    private void entered(Map<String, Object> message) throws IOException {
        ready = true;
        if (message.containsKey("key")) {
            key = text(message, "key");
        }
        if (message.containsKey("table")) {
            return; // "seated" and "back" follow
        }
        if (table != null) {
            end(List.of(), "lost", "the match has ended while the connection was lost");
        } else {
            seek();
        }
    }

    private void sorry(String why) throws IOException {
        if (ready && table != null) {
            return; // about something that was said with {@code say}
        }
        Matcher again = AGAIN.matcher(why);
        if (again.find()) {
            comeAgain(why, again.group(1) == null ? 0 : Double.parseDouble(again.group(1)));
        } else if (!ready && key != null) {
            key = null; // the host does not know it any more
            logIn();
        } else {
            throw new HostException(why);
        }
    }

    private void accepted() {
        served = true;
        failures = 0;
    }

    /** Begin anew on another connection, after so many seconds at least. */
    private void comeAgain(String why, double again) throws IOException {
        bye = new Bye(why, again);
        throw new IOException(why);
    }

    private void seek() throws IOException {
        Map<String, Object> message = new LinkedHashMap<>(opponents.keys());
        if (message.containsKey("table")) {
            message.put("do", "join");
        } else {
            message.put("do", "seek");
            message.put("game", game);
        }
        send(message);
    }

    private void hearAtTable(String is, Map<String, Object> message) throws IOException {
        if (message.containsKey("n")) {
            n = Math.max(n, number(message, "n"));
        }
        switch (is) {
            case "over" -> {
                List<Integer> winners = list(message, "winners", Long.class).stream().map(Long::intValue).toList();
                end(winners, text(message, "cause"), text(message, "why"));
            }
            case "suspended" -> end(List.of(), is, "a fault of the host has stopped the match");
            case "replaced" -> names.set((int) number(message, "seat"), text(message, "name"));
            case "moves" -> {
                if (message.get("id") instanceof Long id && id == asked) {
                    decide(message);
                }
            }
            case "event", "back" -> {
                if (is.equals("event") || message.containsKey("view")) {
                    refused.clear();
                    ask("");
                }
            }
            default -> {
                // Nothing to decide.
            }
        }
    }

    private void end(List<Integer> winners, String cause, String why) {
        result = new Result(
                text(table, "game"), (int) number(table, "table"), (int) number(table, "seat"), List.copyOf(names), winners,
                cause, why);
    }

    // -- decisions

    /** Ask what may be done. One question at a time: its answer covers all that was told before it. */
    private void ask(String beginning) throws IOException {
        if (asked != 0) {
            return;
        }
        asked = ++lastId;
        begun = beginning;
        Map<String, Object> message = new LinkedHashMap<>();
        message.put("do", "moves");
        message.put("table", table.get("table"));
        message.put("id", asked);
        message.put("view", true);
        if (!begun.isEmpty()) {
            message.put("begun", begun);
        }
        send(message);
    }

    private void decide(Map<String, Object> answer) throws IOException {
        asked = 0;
        List<Move> legal = new ArrayList<>();
        for (Object one : list(answer, "moves", Object.class)) {
            Map<String, Object> move = object(one);
            legal.add(new Move(text(move, "action"), object(move.get("parts")), move.containsKey("more")));
        }
        String why = answer.containsKey("why") ? text(answer, "why") : "";
        if (legal.isEmpty() && why.isEmpty()) {
            return;
        }
        View view = new View(
                text(table, "game"), (int) number(table, "table"), (int) number(table, "seat"), List.copyOf(names), (int) n,
                object(answer.get("view")), begun, why);
        List<Move> rest = legal.stream().filter(move -> !refused.contains(move.action())).toList();
        String chosen = choose.choose(view, rest.isEmpty() ? List.copyOf(legal) : rest);
        if (chosen == null) {
            throw new NullPointerException("choose gave null; expected an action as a string");
        }
        if (legal.stream().anyMatch(move -> move.more() && move.action().equals(chosen))) {
            ask(chosen);
            return;
        }
        action = chosen;
        acted = ++lastId;
        send(Map.of("do", "act", "table", table.get("table"), "action", action, "id", acted));
    }

    /** An action, or the beginning of one, was refused: {@code choose} is asked for another one. */
    private void hearRefused(Map<String, Object> message) throws IOException {
        if (table == null || !(message.get("id") instanceof Long id) || id != asked && id != acted) {
            return;
        }
        refused.add(id == asked ? begun : action);
        asked = acted = 0;
        String words = Json.write(refused.get(refused.size() - 1)) + ": " + text(message, "why");
        if (refused.size() >= MOST_REFUSALS) {
            throw new HostException(
                    "the host has refused " + MOST_REFUSALS + " actions in a row; the last one is " + words);
        }
        log.accept("the host has refused " + words);
        ask("");
    }

    // -- parts of messages

    private static String text(Map<String, Object> message, String key) {
        return Json.get(message, key, String.class);
    }

    private static long number(Map<String, Object> message, String key) {
        return Json.get(message, key, Long.class);
    }

    private static <T> List<T> list(Map<String, Object> message, String key, Class<T> type) {
        List<T> items = new ArrayList<>();
        for (Object one : Json.get(message, key, List.class)) {
            items.add(type.cast(one));
        }
        return items;
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> object(Object value) {
        if (value instanceof Map<?, ?>) {
            return (Map<String, Object>) value; // all that {@code Json} reads has texts as keys
        }
        throw new IllegalArgumentException("expected an object");
    }
}
