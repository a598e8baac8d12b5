import gamehost.Client;
import gamehost.Opponents;
import gamehost.Result;

public class FirstBot {
    public static void main(String[] args) throws Exception {
        try (Client client = new Client("ann", "127.0.0.1", 8889)) {
            Result result = client.play("onitama", (view, legal) -> legal.get(0).action(), Opponents.house("easy"));
            System.out.println((result.winners().contains(result.seat()) ? "won: " : "lost: ") + result.why());
        }
    }
}
