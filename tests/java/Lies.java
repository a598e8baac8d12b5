import gamehost.Client;
import gamehost.HostException;
import gamehost.Opponents;

/** What a client makes of a host that lies: PORT CASES. One line for each case: its number, and how it ended. */
public class Lies {
    public static void main(String[] args) throws Exception {
        for (int number = 0; number < Integer.parseInt(args[1]); number++) {
            String ended;
            try (Client client = new Client("c" + number, "127.0.0.1", Integer.parseInt(args[0])).log(words -> {})) {
                client.play("onitama", (view, legal) -> legal.get(0).action(), Opponents.anybody());
                ended = "played";
            } catch (HostException error) {
                ended = "refused " + error.getMessage();
            } catch (Exception error) {
                ended = "broken " + error;
            }
            System.out.println(number + " " + ended);
        }
    }
}
