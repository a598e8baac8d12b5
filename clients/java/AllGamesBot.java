import gamehost.*;
import java.util.*;

/**
 * A bot for all games: NAME GAME... [--games 1] [--house easy] [--host 127.0.0.1] [--port 8889]
 *
 * <p>It plays the games one after the other, each once or as often as {@code --games} says, against whoever comes or against a
 * house player. It plays at random, but for two things: in Onitama it takes a piece when it can, and in Stratego it places all
 * its pieces at once.
 */
public class AllGamesBot {
    static final String STRATEGO_PIECES = "12334445555666677778888899999999SFBBBBBB";
    static final Random RANDOM = new Random();

    static String choose(View view, List<Move> legal) {
        // There are too many ways to place all pieces for a list.
        if (legal.isEmpty() && view.game().equals("stratego")) {
            List<String> pieces = new ArrayList<>(List.of(STRATEGO_PIECES.split("")));
            Collections.shuffle(pieces, RANDOM);
            return String.join("", pieces).replaceAll(".{10}(?=.)", "$0/");
        }
        List<Move> captures = legal.stream().filter(move -> view.game().equals("onitama") && takes(view, move)).toList();
        List<Move> good = captures.isEmpty() ? legal : captures;
        return good.get(RANDOM.nextInt(good.size())).action();
    }

    /** The board of Onitama has 25 characters: {@code a1} first, then {@code b1}; capital letters are the pieces of seat 0. */
    static boolean takes(View view, Move move) {
        if (!(move.parts().get("to") instanceof String to && view.position().get("board") instanceof String board)) return false;
        return (view.seat() == 0 ? "kp" : "KP").indexOf(board.charAt((to.charAt(1) - '1') * 5 + to.charAt(0) - 'a')) >= 0;
    }

    public static void main(String[] args) throws Exception {
        if (args.length < 2) throw new IllegalArgumentException("expected NAME GAME..., such as: ann onitama");
        Map<String, String> options = new HashMap<>(Map.of("--games", "1", "--host", "127.0.0.1", "--port", "8889"));
        Deque<String> words = new ArrayDeque<>(List.of(args));
        String name = words.pop();
        List<String> games = new ArrayList<>();
        while (!words.isEmpty()) {
            String word = words.pop();
            if (word.startsWith("--")) options.put(word, words.pop());
            else games.add(word);
        }
        Opponents whom = options.containsKey("--house") ? Opponents.house(options.get("--house")) : Opponents.anybody();
        try (Client client = new Client(name, options.get("--host"), Integer.parseInt(options.get("--port")))) {
            client.hear(told -> {
                if (told.get("is").equals("seated")) System.out.println(name + ": playing " + told.get("game"));
            });
            int times = Integer.parseInt(options.get("--games"));
            for (String game : games.stream().flatMap(one -> Collections.nCopies(times, one).stream()).toList()) {
                Result result = client.play(game, AllGamesBot::choose, whom);
                String winners = String.join(" and ", result.winners().stream().map(result.names()::get).toList());
                System.out.println(name + ": " + game + " won by " + (winners.isEmpty() ? "nobody" : winners) + ": " + result.why());
            }
        } catch (HostException error) {
            System.err.println(name + ": " + error.getMessage());
            System.exit(1);
        }
    }
}
