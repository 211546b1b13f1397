package a.b;

import java.util.List;

/**
 * Keeps users.
 */
@Service
public final class Sample<T extends Comparable<T>> extends Base implements Runnable {
    public static final int MAX_SIZE = 10;
    private final String text = "class Fake { void no() {";

    /** Makes one. */
    public Sample(String text) {
        super(text);
    }

    @Override
    public void run() {
        if (ready()) {
            new Thread(() -> { go(); }).start();
        }
        call(1);
    }

    @Deprecated protected <R> List<R> map(
            Function<T, R> f,
            int n) throws IOException {
        return null;
    }

    abstract int size();

    enum Mode { ON, OFF; boolean on() { return this == ON; } }

    interface Visitor {
        void visit(int x);
    }

    record Point(int x, int y) {}
}
