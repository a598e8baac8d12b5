import it.polimi.ingsw.messages.fromClient.*;
import it.polimi.ingsw.messages.fromServer.*;
import it.polimi.ingsw.model.Assistant;
import it.polimi.ingsw.model.Color;
import it.polimi.ingsw.model.Tower;
import it.polimi.ingsw.model.characters.CharacterEnum;
import java.io.BufferedOutputStream;
import java.io.EOFException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.net.Socket;

/** A client with Java's own object streams, for the tests of the wire eriantys-java. Its first argument says what it does. */
public class JavaClient {
    public static void main(String[] arguments) throws Exception {
        switch (arguments[0]) {
            case "write": write(); break;
            case "copy": copy(); break;
            default: logIn(Integer.parseInt(arguments[1]));
        }
    }

    /** Write one message of each class of a client. */
    private static void write() throws Exception {
        ObjectOutputStream out = new ObjectOutputStream(new BufferedOutputStream(System.out));
        LoginMessage login = new LoginMessage();
        login.nickname = "Zden\u011bk \ud834\udd1e";
        SetGame game = new SetGame();
        game.expertMode = true;
        game.numberOfPlayers = 4;
        JoinAvailableGame join = new JoinAvailableGame();
        join.gameID = 7;
        ChosenTower tower = new ChosenTower();
        tower.color = Tower.GREY;
        ChosenWizard wizard = new ChosenWizard();
        wizard.wizardID = 3;
        PlayAssistant assistant = new PlayAssistant();
        assistant.assistant = Assistant.ARCHER_CAT;
        ChosenStudent student = new ChosenStudent();
        student.student = Color.PINK;
        ChosenDestination destination = new ChosenDestination();
        destination.destination = -1;
        ChosenSteps steps = new ChosenSteps();
        steps.steps = 5;
        ChosenCloud cloud = new ChosenCloud();
        cloud.cloud = 2;
        UseCharacterEffect character = new UseCharacterEffect();
        character.character = CharacterEnum.Char12;
        Object[] messages = {
            new Ack(), new Pong(), new Disconnect(), login, new RequestGames(), game, join, tower, wizard, assistant,
            student, new ChosenStudent(), destination, steps, cloud, character
        };
        for (Object message : messages) {
            out.writeObject(message);
            out.reset();
        }
        out.flush();
    }

    /** Read the server's messages from the standard input, and write each of them again. */
    private static void copy() throws Exception {
        ObjectOutputStream out = new ObjectOutputStream(new BufferedOutputStream(System.out));
        ObjectInputStream in = new ObjectInputStream(System.in);
        try {
            while (true) {
                Object message = in.readObject();
                out.reset();
                out.writeObject(message);
            }
        } catch (EOFException end) {
            out.flush();
        }
    }

    /** Log in over a socket, create a game and leave. Prints what the host says. */
    private static void logIn(int port) throws Exception {
        try (Socket socket = new Socket("127.0.0.1", port)) {
            ObjectOutputStream out = new ObjectOutputStream(socket.getOutputStream());
            ObjectInputStream in = new ObjectInputStream(socket.getInputStream());
            hear(in, out);
            LoginMessage login = new LoginMessage();
            login.nickname = "ann";
            say(out, login);
            hear(in, out);
            say(out, new RequestGames());
            hear(in, out);
            SetGame game = new SetGame();
            game.numberOfPlayers = 2;
            say(out, game);
            hear(in, out);
            say(out, new Disconnect());
        }
    }

    private static void say(ObjectOutputStream out, Object message) throws Exception {
        out.writeObject(message);
        out.reset();
        out.flush();
    }

    private static void hear(ObjectInputStream in, ObjectOutputStream out) throws Exception {
        Object message = in.readObject();
        while (message instanceof Ping) {
            say(out, new Pong());
            message = in.readObject();
        }
        String shown = message instanceof Enum ? message.toString() : message.getClass().getSimpleName();
        if (message instanceof WaitingForPlayers) {
            shown += " " + ((WaitingForPlayers) message).gameID;
        }
        System.out.println(shown);
    }
}
