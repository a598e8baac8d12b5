import gamehost.Choose;
import gamehost.Client;
import gamehost.Opponents;
import java.io.IOException;
import java.util.Map;

/** What a bot's author is told of each mistake, and of somebody else with the key: at PORT, where a host is, and WRONG, where another protocol is spoken. */
public class Mistakes {
    public static void main(String[] args) throws Exception {
        int port = Integer.parseInt(args[0]);
        Choose first = (view, legal) -> legal.get(0).action();
        said(port, "onitma", first, Opponents.anybody());
        said(port, "onitama", first, Opponents.house("nobody"));
        said(port, "onitama", (view, legal) -> "ox z9", Opponents.house("random").seat("first"));
        said(port, "onitama", (view, legal) -> null, Opponents.house("random").seat("first"));
        said(Integer.parseInt(args[1]), "onitama", first, Opponents.anybody());
        try (Client eve = new Client("eve", "127.0.0.1", port)) {
            // Somebody else with the key has the seat.
            Choose again = (view, legal) -> {
                try (Client other = new Client("eve", "127.0.0.1", port).key(eve.key())) {
                    int table = other.play("onitama", first, Opponents.anybody()).table();
                    System.out.println(table == view.table() ? "the same table" : "another table");
                } catch (IOException error) {
                    System.out.println(error.getMessage());
                }
                return "";
            };
            eve.play("onitama", again, Opponents.house("random").seat("first"));
        } catch (IOException error) {
            System.out.println(error.getMessage());
        }
        try (Client client = new Client("ann", "127.0.0.1", port)) {
            client.say(Map.of("do", "leave"));
        } catch (Exception error) {
            System.out.println(error.getMessage());
        }
    }

    private static void said(int port, String game, Choose choose, Opponents whom) {
        try (Client client = new Client("ann", "127.0.0.1", port).log(words -> {})) {
            client.play(game, choose, whom);
            System.out.println("played");
        } catch (Exception error) {
            System.out.println(error.getMessage());
        }
    }
}
