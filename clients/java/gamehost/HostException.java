package gamehost;

import java.io.IOException;

/** The host cannot be reached, does not want this client, or has refused what it asked for. */
public final class HostException extends IOException {
    private static final long serialVersionUID = 1;

    HostException(String why) {
        super(why);
    }
}
