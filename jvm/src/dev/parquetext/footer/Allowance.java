package dev.parquetext.footer;

/** The bytes and numbers that may be decoded of a footer: a payload must not multiply memory or work. */
final class Allowance {
    private final Located located;
    private long left;

    Allowance(Located located) {
        this.located = located;
        left = located.proportion();
    }

    void take(long amount) throws NotSliced {
        if (amount > left) throw NotSliced.damaged("more content than a footer has", located.payload);
        left -= amount;
    }
}
